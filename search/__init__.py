"""beggar: how long can a game of Beggar-My-Neighbour last?"""

__version__ = "0.1.0"
