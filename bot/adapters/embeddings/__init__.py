"""Embeddings of any server that speaks like OpenAI."""
