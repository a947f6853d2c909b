"""What people look at: records explained, one or many, coverage of samples, differences of specs, pages on specs.

Begin with the package of the command: `explain`, `browse` for `serve`, `coverage`, `diff`, `docs`.
"""
