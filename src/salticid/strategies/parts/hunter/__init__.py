"""What the hunter is made of: a topic's words, evidence about links, features, and weights that learn."""
