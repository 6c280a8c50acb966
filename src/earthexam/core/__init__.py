"""What every part speaks: errors, items, taxonomies, scenes, registries; imports nothing of ours."""
