"""A Scrapy project whose requests a strategy orders."""
