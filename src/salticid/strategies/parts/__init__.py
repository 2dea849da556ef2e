"""What strategies are made of: the frontier, batches, agents, and ways to read a link."""
