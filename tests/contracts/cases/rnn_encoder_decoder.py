# The deviation of the papers is so small that at these sizes nothing would come through.
SIZES = {"width": 23, "rank": 7, "maxout_width": 11, "deviation": 0.5}

VARIANTS = {
    "paper": {},
    "plain tanh": {"cell": "tanh"},
    "Bahdanau's unit": {"cell": "gru-bahdanau"},
    "torch's unit": {"cell": "gru-torch"},
    "lstm": {"cell": "lstm"},
    "dropout": {"dropout": 0.3},
}
