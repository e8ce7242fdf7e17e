"""The trials of the doctor and the setup: models, database, memory, speech, search, servers."""
