"""From outputs and references to honest scores."""
