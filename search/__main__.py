"""`python -m search` is the program `beggar`."""

import sys

from .cli import program

if __name__ == "__main__":  # worker processes import this module where they are not forked
    sys.exit(program())
