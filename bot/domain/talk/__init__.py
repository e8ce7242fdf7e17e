"""Messages, chats and the people in them."""
