"""Several extracts of one Log Master log, read as one: what each shows, which one gives what, and checkpoints."""
