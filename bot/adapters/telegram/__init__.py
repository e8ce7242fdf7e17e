"""The Telegram channel: raw updates in, messages, drafts and cards out."""
