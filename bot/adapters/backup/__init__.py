"""Backups: one file with rows, workspaces and settings, and a manifest that proves it whole."""
