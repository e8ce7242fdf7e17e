"""The page in a browser: talk, decisions and reading, over HTTP on 127.0.0.1."""
