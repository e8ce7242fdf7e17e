"""The Discord channel: gateway events in, messages, components and files out."""
