"""The terminal channel: a chat at a prompt, approvals by key."""
