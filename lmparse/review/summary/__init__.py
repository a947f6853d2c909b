"""What is in a log, in numbers and plots: as text, as JSON, as a page and in a notebook.

Begin with `report.summary`; what is counted is in `logs.summary`.
"""
