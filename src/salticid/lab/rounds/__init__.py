"""Rounds of watching on a generated web with days, so that policies can be raced against the truth of each day."""
