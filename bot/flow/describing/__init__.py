"""Skills and tools are found by what their descriptions mean, beside their words."""
