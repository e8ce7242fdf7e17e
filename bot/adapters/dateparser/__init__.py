"""Words for a moment in many languages, read by dateparser."""
