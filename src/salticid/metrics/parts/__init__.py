"""What measures are made of: the nouns they are handed, and the arithmetic they share."""
