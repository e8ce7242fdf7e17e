"""Tests of Steward: through public doors, with fakes, never against the open network."""
