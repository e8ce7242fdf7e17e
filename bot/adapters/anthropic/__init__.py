"""The Messages API as a model: requests out, streamed replies in."""
