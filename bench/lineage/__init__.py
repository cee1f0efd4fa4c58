"""What each paper of the lineage says its system shows, on runs of a minute: `python -m bench.lineage.NAME`."""
