"""What people look at: records explained, one or many, logs summarized, coverage of samples, specs compared.

Begin with the package of the command: `explain`, `browse` for `serve`, `summary`, `coverage`, `diff`, `docs`.
"""
