"""Commands as values: what one is and may answer, and the buttons and pages below it."""
