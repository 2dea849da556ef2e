"""A generated web of any size, whose crawl-relevant properties follow published measurements.

Nothing here keeps a page in memory: whatever is asked about a page is worked out from its number and the seed.
"""
