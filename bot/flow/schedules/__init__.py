"""Tasks that run at their times: their clock, the turns of their runs, and how those end."""
