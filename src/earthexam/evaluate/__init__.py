"""Benchmark and model to run: protocol, loop, metrics, statistics."""
