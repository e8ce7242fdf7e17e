"""Texts as people and models may see them, whoever wrote them."""
