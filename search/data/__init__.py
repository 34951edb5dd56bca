"""Data that comes with the package: the published records, and the finds of this tool."""
