"""What people look at: records explained, one or many, logs summarized, coverage of samples, specs compared.

Begin with the package of the command: `explain`, `serve`, `summary`, `coverage`, `diff`, `docs`.
"""
