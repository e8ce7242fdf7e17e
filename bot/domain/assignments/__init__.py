"""Work that is given to other turns: tasks, goals, hooks and errands."""
