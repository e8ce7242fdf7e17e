"""Goals that are worked on at their pace: their runs, diaries and ends."""
