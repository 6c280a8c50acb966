"""Question families of the 13 hyperspectral tasks."""
