"""Plots as SVG, for reports, reproductions, notebooks and the demo."""
