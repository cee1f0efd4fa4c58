"""saccade's models in the formats of other programs: one file for each program."""
