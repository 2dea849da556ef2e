"""Runs: a crawl begun, gone on with, watched, stopped and ended, on either web."""
