"""A Log Master log: its files together, the order of its changes, and what the manual leaves open."""
