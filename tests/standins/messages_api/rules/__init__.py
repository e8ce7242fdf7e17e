"""The rules by which the Messages API refuses a request, a subject a file."""
