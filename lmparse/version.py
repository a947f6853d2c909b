"""The version of lmparse, for its outputs; the packaging reads the version from here."""

VERSION = "0.2.0"
