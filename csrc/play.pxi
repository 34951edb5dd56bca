# Calls that play deals.
