"""The words of the program that tests look for in more than one place: change them here alone.

Where a state, a row or a label says the same, a test asserts that and no sentence.
"""

# Buttons, each as its label begins.
APPROVE, DENY, STOP = "✅ Approve", "❌ Deny", "⏹ Stop"
ALWAYS, APPROVE_ALL, GO_ON = "🔁 Always", "✅ Approve all", "▶️ Go on"
RETRY, SKIP, RESUME = "🔁 Retry", "⏭ Skip", "▶️ Resume"
CHANGE, CANCEL, REPLACE = "✏️ Change", "❌ Cancel", "🔁 Replace"

# Answers to a press.
APPROVED = "Approved."
DECIDED_ALREADY = "This is decided already."

# How a turn or a plan ended, and what a card says of it.
STOPPED = "Stopped, as you asked."
PLAN_OF_ONE_DONE = "The step of the plan done."
PLAN_OF_TWO_DONE = "All 2 steps of the plan done."
FIRST_STEP_FAILED = "Step 1 of the plan failed."
OUTCOME_UNKNOWN = "outcome unknown"
APPROVED_BY_ANN = "✅ Approved by Ann"
REPLACED_BY_ANN = "🔁 Replaced by Ann."

# Answers to commands, and notices.
NOTHING_TO_STOP = "There is nothing to stop."
NO_PLAN = "There is no plan here."
SUMMARISED = "The conversation is summarised."
TWO_A_MINUTE = "2 messages a minute"
READING_ON = "From now on I read"
OWNERS_ONLY = "for the owner of this group"
REMOVED = "I was removed from"
USE_ECHO = "Use echo of the server nasty?"
