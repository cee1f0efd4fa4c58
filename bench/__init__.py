"""Measurements; results with date, machine and command stand in docs/benchmarks.md."""
