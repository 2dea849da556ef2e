"""Measures of crawls: pure functions of what was fetched and what is true, one file each."""
