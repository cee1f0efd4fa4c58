"""From arguments to function calls; no logic."""
