"""The pages on which the specs are reviewed.

Begin with `site.write_site`.
"""
