"""Pages for people who look: a turn as a waterfall, cards of all chats, and what goes on now."""
