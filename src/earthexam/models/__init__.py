"""Ask a model: protocol, HTTP, profiles, cache, cost."""
