"""The file in which the owner writes who the bot is."""
