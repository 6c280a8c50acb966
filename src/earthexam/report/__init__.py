"""Runs to tables, plots and pages."""
