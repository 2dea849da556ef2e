"""The pages of a crawl for other programs: which of them, what is told about each, a file a format."""
