"""Generated from the specs by build.py. Do not edit."""
