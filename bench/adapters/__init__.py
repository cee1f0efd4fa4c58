"""One file per library: its own model, loss, batch and search, called as its users call them.

An `Adapter(setup)` has `collate(batch)`, `step(batch)` giving the loss, `decode(group, beam)` giving one list of tokens
per source, and `info`. Adapters call the libraries and hold nothing of theirs.

    saccade.py           saccade's training step, fast search, readable search and CTranslate2 engine
    roofline.py          the model's matrix products and nothing else
    torch_nn.py          torch.nn.Transformer
    huggingface.py       Hugging Face MarianMTModel
    ctranslate2.py       CTranslate2, decoding only
    joeynmt.py           JoeyNMT
    opennmt.py           OpenNMT-py
    eole.py              eole
    sockeye.py           Sockeye
    x_transformers.py    x-transformers
    teacher_forcing.py   padded batches, Adam and parameter counts for the torch libraries
"""
