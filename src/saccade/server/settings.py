"""The limits of a server: each bounds what one client can make it do."""

from dataclasses import dataclass, fields

from saccade.errors import ConfigError


@dataclass(frozen=True, kw_only=True)
class ServerSettings:
    """What a server allows.

    Attributes:
        characters: of all texts of a request.
        items: texts of a request.
        alternatives: other translations that a request may ask for.
        requests: those that may be inside at once, searched or waiting; one more is told to come again.
        seconds: how long a request may take before it is given up.
        rate: requests per minute of a client without a rate of its own; None is no limit.
        file_bytes: of a file that is uploaded.
        file_seconds: how long its translation may take.
    """

    characters: int = 100_000
    items: int = 1_000
    alternatives: int = 10
    requests: int = 256
    seconds: float = 60.0
    rate: float | None = None
    file_bytes: int = 10_000_000
    file_seconds: float = 600.0

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            least = 0 if field.name == "alternatives" else 1
            if value is not None and not least <= value <= 10**9:
                raise ConfigError(f"`{field.name}` must be from {least} to 1,000,000,000, but is {value}.")
