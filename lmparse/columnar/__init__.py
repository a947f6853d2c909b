"""Many records at a time as Arrow columns: plans, kernels, filters, and the comparison of both engines.

Begin with `record_plan.Plan`, which says how each column is decoded.
"""
