"""The tools that touch the world: files, commands, sending, pages, time."""
