"""A crawl that is watched for months: how often its pages change, and which are worth another look."""
