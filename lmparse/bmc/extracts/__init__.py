"""Several extracts of one Log Master log, read as one log: ownership of records, outcomes of units, checkpoints."""
