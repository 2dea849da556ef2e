"""What Salticid costs, measured beside what limits it. Run all: `make bench`; one: `make bench ONLY=parse`."""
