"""Find what is wrong with a benchmark or a published table."""
