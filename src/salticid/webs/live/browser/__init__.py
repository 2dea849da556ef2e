"""Pages that are empty without a browser: a local Chromium renders them, and asks nobody but us."""
