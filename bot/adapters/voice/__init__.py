"""Speech by endpoints that speak like OpenAI's."""
