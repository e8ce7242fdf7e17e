"""End to end: the real process between both stand-ins, over real HTTP."""
