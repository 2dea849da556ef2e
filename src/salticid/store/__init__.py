"""What a crawl leaves behind: its log, and the ways to read it."""
