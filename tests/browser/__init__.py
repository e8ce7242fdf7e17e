"""The page in a real browser: Debian's Chromium, driven through its own driver."""
