"""Skills: written instructions for kinds of tasks, and the texts about them."""
