"""Salticid: a focused web crawler, and the laboratory behind it."""

__version__ = "0.1.0"
