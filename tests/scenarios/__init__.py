"""The flow as a whole, over fakes: what a person says, sees and decides."""
