"""EarthExam: build, audit, run and report multimodal-LLM benchmarks for Earth observation."""

__version__ = "0.1.0"
