"""Words that stand behind a conversation: who the bot is, and who the person is."""
