"""The version of lmparse, for what it writes: the packaging reads it from here."""

VERSION = "0.1.0"
