"""Strict stand-ins for the services the bot talks to, served over real HTTP on loopback."""
