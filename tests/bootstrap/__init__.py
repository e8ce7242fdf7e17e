"""The composition root: real parts put together, with channels of the tests."""
