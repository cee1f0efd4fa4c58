"""Triton programs for what torch leaves slow on a GPU; nobody needs to read them to understand the models.

Each file holds one operation: the Triton programs, the function that launches them, and, first of all, a plain version
in torch that says what is computed. Tests compare the two, values and gradients, on a GPU or in Triton's interpreter.
Only tensors come in and go out; who calls has made sure that they are on a GPU.
"""
