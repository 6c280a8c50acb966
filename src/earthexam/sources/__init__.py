"""Read native data: one module a format, files to scenes."""

from earthexam.core.registry import Registry
from earthexam.sources.reader import Reader

SOURCES: Registry[Reader] = Registry("source", "earthexam.sources")
