"""What crawls where nobody says otherwise; apart, so that who only names them need not wait for them."""

from __future__ import annotations

DEFAULT_STRATEGY = "hunter"
DEFAULT_JUDGE = "cosine"
LEARNING_JUDGE = "profile"
"""The judge where a person will talk to the crawl: it works from words alone, and learns from what is said."""
