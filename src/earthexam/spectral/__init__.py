"""Arrays in, arrays out: bands, tiles, composites, indices, unmixing, change, description; no files."""
