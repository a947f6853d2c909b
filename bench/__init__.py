"""Benchmarks: files to read, rivals that read them, and the harness that compares."""
