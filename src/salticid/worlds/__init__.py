"""Recorded worlds: how they are built, what is known about their pages, topics made from that."""
