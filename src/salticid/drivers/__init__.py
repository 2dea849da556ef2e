"""Small loops that carry links to a web and answers back to a crawl. They decide nothing."""
