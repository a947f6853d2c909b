"""How Java runs where it ends after seconds."""

from __future__ import annotations

JAVA_OPTIONS = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""What runs for a minute gains nothing from the second compiler, which takes half of the time."""
SHORT_JAVA = {"JDK_JAVA_OPTIONS": JAVA_OPTIONS}
"""The same as the environment of a process that starts Spark."""
