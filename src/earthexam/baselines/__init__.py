"""Models that are no LLM."""
