"""Many records at a time as Arrow columns: plans, kernels, filters, and the comparison of both engines.

Begin with `record_plan.RecordPlan`, which says how each column is decoded.
"""
