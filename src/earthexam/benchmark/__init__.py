"""The benchmark on disk: store, card, item checks."""
