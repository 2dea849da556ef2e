"""What a search found: how sure it is, as a strategy file, as a page."""
