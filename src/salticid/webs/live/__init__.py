"""Pages from the live web: fetched politely, and only from where they may be."""
