"""Read native data: one module a format, files to scenes."""
