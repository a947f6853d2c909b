"""The pages for the review of the specs.

Begin with `site.write_site`.
"""
