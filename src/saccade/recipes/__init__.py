"""What a run is, as data; and the run itself."""
