"""One file for each library: its own model, loss, batch and search, called as its users call them, on the bench's work.

An `Adapter(task)` has `collate(batch)`, `step(batch)` giving the loss, `decode(group, beam)`
giving one list of tokens a source, and `info`.
"""
