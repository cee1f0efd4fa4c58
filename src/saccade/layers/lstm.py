"""The LSTM without peepholes, as every recurrent model here has it (Hochreiter and Schmidhuber 1997; Gers et al. 2000).

    c_t = f * c_{t-1} + i * g        h_t = o * tanh(c_t)

i, f and o are sigmoids and g is the tanh of a linear map of input and state. How that map is computed differs from
layer to layer, and so do the order of its rows and the activation of several gates at once; what follows is this.
Gradients written by hand (lstmn_tape_fast.py) keep their own backward pass.
"""

from jaxtyping import Float
from torch import Tensor

Vector = Float[Tensor, "batch width"]


def lstm_cell(
    input_gate: Vector,
    forget_gate: Vector,
    candidate: Vector,
    output_gate: Vector,
    cell: Vector,
    added: Vector | None = None,
) -> tuple[Vector, Vector]:
    """h_t and c_t from the activated gates; `added` is one more term of c_t, as an LSTMN reads it from the source."""
    cell = forget_gate * cell + input_gate * candidate
    if added is not None:
        cell = cell + added
    return output_gate * cell.tanh(), cell
