"""The flow over fakes: every test goes through a public door."""
