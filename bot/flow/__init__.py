"""The application: from an inbound message to its settled and delivered outcome."""
