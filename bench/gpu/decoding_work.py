"""What is decoded on the GPU: this many sentences at once, each of this many positions, with this beam."""

LENGTH = 27
BEAM = 4
BATCHES = (1, 64, 512)
