"""What the program costs, measured in its own process beside the bare SDKs."""
