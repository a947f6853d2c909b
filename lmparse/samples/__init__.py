"""Synthetic logs of both families, made from a seed.

Begin with `bmc_log` and `db2_log`.
"""
