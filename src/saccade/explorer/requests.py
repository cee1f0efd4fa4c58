"""The bodies that the server reads, with their limits: what is too large is refused before anything is computed."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from saccade.explorer.cost import LONGEST
from saccade.tracing.options import LONGEST_TEXT, TraceOptions
from saccade.tracing.what_if import WhatIf

TRACES = 64
"""How many traces one exported page may hold; as many as a session keeps."""

Name = Annotated[str, Field(max_length=200)]
Text = Annotated[str, Field(max_length=LONGEST_TEXT)]
# Of numbers only the size is limited here, so that no arithmetic overflows; each option knows its own range.
Whole = Annotated[int, Field(ge=-(2**53), le=2**53)]
Real = Annotated[float, Field(ge=-1e9, le=1e9)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


class SearchRequest(_Strict):
    """Beam size and length penalty; None is what the model was saved with."""

    size: Whole | None = None
    alpha: Real | None = None


class WhatIfRequest(_Strict):
    """A change to the model; `saccade.tracing.what_if` knows the changes."""

    name: Name
    value: Whole | Real | Name | None = None
    block: Name | None = None
    head: Whole | None = None


class TraceRequest(_Strict):
    """A sentence, and what its trace should hold."""

    model: Name
    text: Text
    decode: SearchRequest = SearchRequest()
    force: Text | None = None
    prefix: Text | None = None
    what_if: WhatIfRequest | None = None
    detail: Annotated[list[Name], Field(max_length=200)] = ["weights"]

    def options(self) -> TraceOptions:
        """The options of the trace."""
        return TraceOptions(
            size=self.decode.size,
            alpha=self.decode.alpha,
            force=self.force,
            prefix=self.prefix,
            what_if=None if self.what_if is None else WhatIf(**self.what_if.model_dump()),
            detail=tuple(sorted({"weights", *self.detail})),
        )


class ExportRequest(_Strict):
    """Which traces to write into a page, and the view it opens with."""

    traces: Annotated[list[TraceRequest], Field(max_length=TRACES)]
    route: Annotated[str, Field(max_length=10_000)] = "#/translate"


class CostRequest(_Strict):
    """The model whose layer is measured, and a length that should be among those measured."""

    model: Name
    n: Annotated[int, Field(ge=1, le=LONGEST)] | None = None
