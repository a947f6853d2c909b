"""What people look at: records explained, logs summarized, coverage of samples, differences of specs, pages on specs.

Begin with the package of the command: `explain`, `summary`, `coverage`, `diff`, `docs`.
"""
