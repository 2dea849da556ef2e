"""System 2's experiment: what class of page does a link lead to, said before the page is fetched."""
