"""Control file of a Log Master log: how it is found and read, and the tables that it describes."""
