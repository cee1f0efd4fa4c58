SIZES = {"encoder_layers": 3, "decoder_layers": 2, "width": 13, "embedding_width": 11, "maximum_length": 41}

VARIANTS = {
    "paper": {},
    "fairseq": {"wiring": "fairseq"},
    "unscaled": {"wiring": "unscaled", "weight_normalisation": False},
    "one width": {"embedding_width": None, "decoder_layers": 3},
    "wide top": {"top_expansions": (1.5, 2.0), "top_kernel_widths": (1,), "kernel_width": 5},
    "attention in the last layer": {"attending_layers": (2,)},
    "no positions": {"source_positions": False, "target_positions": False},
    "additive": {"score": "additive"},
    "local-p": {"alignment": "local-p", "reach": 3},
    "sparsemax": {"alignment": "sparsemax"},
    "reinforced": {"alignment": "reinforced"},
}

DAMPED = {"local-p"}
