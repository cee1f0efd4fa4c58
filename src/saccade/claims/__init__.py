"""What is said about attention and its ancestors, and the experiment that shows whether it is so: one file a claim."""
