"""Rich messages of the Bot API: tables, headings, task lists and formulas."""
