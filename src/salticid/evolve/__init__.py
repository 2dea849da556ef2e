"""Strategies found by search: a rank function, crawls of it simulated at speed, and what evolves its weights."""
