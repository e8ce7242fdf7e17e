"""Times of cron rules by APScheduler's triggers."""
