"""Commands that belong to no feature, and the dispatch that finds and answers each one."""
