"""What a change of specs means to those who read their data.

Begin with `compare.compare`.
"""
