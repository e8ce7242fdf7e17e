"""The words of the program that tests look for in more than one place: change them here alone.

Where a state, a row or a label says the same, a test asserts that and no sentence.
"""

# Buttons, each as its label begins.
APPROVE, DENY, STOP = "✅ Approve", "❌ Deny", "⏹ Stop"
ALWAYS, APPROVE_ALL, GO_ON = "🔁 Always allow exactly this", "✅ Approve all", "▶️ Go on"
ALWAYS_IN = "🔁 Always in "
ALLOW = "🧩 Allow what this skill asks for"
RETRY, SKIP, RESUME = "🔁 Try again", "⏭ Skip", "▶️ Resume"
CHANGE, CANCEL, REPLACE = "✏️ Change", "🗑 Cancel", "🔁 Replace"

# Answers to a press.
PRESSED_ALREADY = "This was pressed already"
GONE_ON = "The conversation has gone on since"
ASKERS_ONLY = "Only the one who asked, or an owner, may press this."
APPROVED = "Approved."
DENIED = "Denied."
RULED, RULED_IN = "From now on without asking: exactly this.", "Write documents in "
DECIDED_ALREADY = "This is decided already."
STOPPED_ALREADY = "This was stopped, so nothing runs."
ASKS_AGAIN = "From now on I ask again."

# How a turn or a plan ended, and what a card says of it.
STOPPED = "Stopped, as you asked."
PLAN_OF_ONE_DONE = "Plan done: 1 of 1 step."
PLAN_OF_TWO_DONE = "Plan done: 2 of 2 steps."
PLAN_OF_THREE_DONE = "Plan done: 3 of 3 steps."
PLAN_NOT_FINISHED = "Plan not finished"
PLAN_STOPPED = "Plan stopped"
PLAN_DONE = "Plan done"
FIRST_STEP_FAILED = "Step 1 of the plan failed."
FIRST_FAILED_ASKS = "Step 1 failed. Try again, skip it, or stop here?"
OUTCOME_UNKNOWN, PERHAPS_DONE = "outcome unknown", "Begun, and perhaps done in part:"
REPLACED = "🔁 Replaced the old plan."
KEPT = "↩️ The old plan stays."
CARD_DENIED = "❌ Denied"
CARD_STOPPED = "⏹ Stopped"
RULE_PAUSED = "Your rule is paused: this chat contains output from outside. /new resumes it."

NO_USAGE = "No model was called."
OVER_DAY, OVER_PERSON = "of today's budget of", "of your budget of"
OVER_TURN, UNPRICED = "of the budget of", "nobody told me what"
MOSTLY_USED, HALTED = "💰", "I stopped:"
NO_BUDGET, BUDGET_OFF = "There is no budget.", "The budget for everybody is off."
FIVE_A_DAY = "The budget for everybody is $5.00 a day from now on."
TEN_A_DAY = "The budget for everybody is $10.00 a day from now on."
FIVE_EACH = "The budget for each person is $5.00 a day from now on."
TWO_A_MESSAGE = "The budget for each message is $2.00 from now on."
ALL_TODAY, YOU_TODAY = "Everybody, today:", "You, today:"
UNCOUNTED = "1 call without a count of tokens: estimated."

# About voice.
UNHEARD, UNSPOKEN = "🎤 I could not hear your voice message:", "🔇 I could not speak my answer:"
VOICE_ON, TEXT_ALONE = "From now on: answers to voice messages", "My answers are text alone."
NO_VOICE_TAKEN = "🔇 My voice note did not arrive:"

NO_TOOL_RAN = "No tool ran, so nothing was changed."
NOT_LET_IN = "The model's provider refused the API key."
NO_TAKEOVER = "could not take over."
EMPTY_ANSWERS = "The model gave an empty answer"
TOO_LONG = "This conversation is too long for the model"
CONNECTION_BROKE = "The connection to the model broke"
TRY_AGAIN = "Try again"
TRYING_AGAIN, GOING_ON = "🔁 Trying again", "▶️ Going on"
STOPPED_AFTER = "I stopped after"

# What a card asks for, and what is said to words that decide nothing.
REPLY_HINT = "Reply to say what should be different"
DIFFERENT = "What should be different?"
HOW_TO_PRESS = "To approve, press the button on the card."
ONE_WAITS_ABOVE = "⏸ 1 card waits above."

# Answers to commands, and notices.
ZONE_QUESTION = "Which clock do you use?"
NOT_KEPT = "I could not keep"
NOTHING_TO_STOP = "There is nothing to stop."
NO_PLAN = "No plan is under way here."
NO_READY_MADE = "There is no ready-made plan"
NOTHING_TO_SEND = "We have said nothing in private yet"
SUMMARISED = "The conversation is summarised."
TWO_A_MINUTE, NOT_TAKEN = "2 messages a minute", "I did not take it"
READING_ON = "From now on I read"
OWNERS_ONLY = "Only the owner of this group"
REMOVED = "removed me from"
USE_ECHO = "Use echo of the server nasty"
NOTHING_TO_DECIDE = "Nothing is waiting for your decision."
NO_RULES = "Nothing runs without asking here."

# Lines of the program for the person who runs it.
SERVING = "Serving @steward_bot with"
TELEGRAM_BACK = "Telegram is back"
KEEPS_TRYING = "I keep trying."
NO_TELEGRAM = "Telegram cannot be reached"
BAD_TOKEN = "Telegram does not accept the bot token"

# First contact.
OWNER_NOW = "You own this assistant now."
NOBODYS_YET = "nobody owns me here yet"
DEAD_LINK = "This link is no longer good"
PRIVATE = "private assistant"
SETUP_OFFER = "Set up Telegram and a model now? [y/N]"
TOKEN_GOOD, KEY_GOOD = "✓ This is @steward_bot.", "✓ The key is good"
KEY_REFUSED = "✗ The model's provider does not accept the API key"
LEFT_OUT, SAVED, NOTHING_CHANGED = "Left out.", "Saved in", "Nothing was changed."

# The terminal.
READY = "Alt-Enter begins a new line."
PRESS_AGAIN = "Press Ctrl-C again to leave."
STAYS_OPEN = "1 card stays open until you come back"
WORDS_COUNT = "or type what should be different"
NOT_SENT = "Your words were not sent."
BUTTON_GONE = "That button is gone"
UNASKED = "There is no terminal to ask in"

# The demo model.
DEMO_NOTE_THERE = "The note is there"
DEMO_CLOCK = "The clock says"
DEMO_UNKNOWN = "I am a demo and only know these words"
DEMO_PLAN = "A report, signed and sent"

# What the log says where everybody had to wait.
EVENT_LOOP = "the event loop"
