"""What a change of specs means to those who read the data.

Begin with `compare.compare`.
"""
