"""The story of a message, in running order, over the domain and the ports alone.

A channel is not here: a new one is an adapter with a form (`bot/bootstrap/channel_form.py`). A new
ability of a turn is a companion (`bot/flow/log/companion.py`), often with a room of its own.
"""
