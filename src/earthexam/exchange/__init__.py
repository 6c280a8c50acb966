"""Other formats in and out."""

from earthexam.core.registry import Registry
from earthexam.exchange.importer import Importer

IMPORTERS: Registry[Importer] = Registry("importer", "earthexam.exchange")
