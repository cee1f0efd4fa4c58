"""The explorer: a page on which a person sees their own model attend, and the trace it is drawn from."""
