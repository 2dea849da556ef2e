"""The spiders, a file each."""
