"""Consent: cards, rules, and the judging of commands."""
