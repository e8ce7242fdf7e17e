"""Chat Completions as a model, of OpenAI and of every server that speaks like it."""
