"""The lineage: one file per system, and the contract they all meet."""
