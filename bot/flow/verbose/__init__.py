"""Tool calls are shown with input and output, folded, in chats that want to see them."""
