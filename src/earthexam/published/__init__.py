"""Taxonomies and published results as tables, with their sources, and loaders."""
