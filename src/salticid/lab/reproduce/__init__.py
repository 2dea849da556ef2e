"""The papers' experiments, run again: each finding, what came out here, and whether it holds."""
