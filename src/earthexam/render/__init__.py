"""Draw what a model sees: composites, colour pictures, charts, reports."""
