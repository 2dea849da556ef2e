"""`python -m salticid`."""

from salticid.cli import main

if __name__ == "__main__":
    main()
