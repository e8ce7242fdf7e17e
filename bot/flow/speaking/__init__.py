"""Answers to voice messages become voice notes, beside their text and after it."""
