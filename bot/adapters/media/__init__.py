"""Reads files that people send: text, PDF documents and pictures, in a process of its own."""
