"""The store: tables, statements and migrations for SQLite and PostgreSQL."""
