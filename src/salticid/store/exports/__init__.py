"""The pages of a crawl for other programs: which of them, what is said about each, a file a format."""
