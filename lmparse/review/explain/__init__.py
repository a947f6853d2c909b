"""One record of a file, its bytes beside its fields.

Begin with `search.explain`.
"""
