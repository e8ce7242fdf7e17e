"""Taking back: the last turn leaves the view, and files become as they were."""
