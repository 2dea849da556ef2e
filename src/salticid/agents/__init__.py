"""The door for agents: hunts ordered, read and steered over the Model Context Protocol, and the skill file."""
