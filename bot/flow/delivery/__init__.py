"""Messages that are owed to people reach their screens, in order."""
