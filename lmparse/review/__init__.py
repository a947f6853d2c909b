"""What people look at: records explained, coverage of samples, differences of specs, pages on specs.

Begin with the package of the command: `explain`, `coverage`, `diff`, `docs`.
"""
