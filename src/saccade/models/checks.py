"""What every config asks of its fields, by name. A field that may be left out, and is None, is asked nothing."""

from saccade.errors import ConfigError


def at_least_one(config: object, *names: str) -> None:
    """Sizes and counts."""
    for name in names:
        value = getattr(config, name)
        if value is not None and value < 1:
            raise ConfigError(f"`{name}` must be at least 1, but is {value}. Choose a larger one.")


def at_least_zero(config: object, *names: str) -> None:
    """Counts of what may be absent, and weights of what may be left out; what is no number is refused, too."""
    for name in names:
        value = getattr(config, name)
        if value is not None and not value >= 0:
            raise ConfigError(f"`{name}` must be at least 0, but is {value}. Choose a larger one.")


def more_than_zero(config: object, *names: str) -> None:
    """Deviations, ranges and ratios; what is no number is refused, too."""
    for name in names:
        value = getattr(config, name)
        if value is not None and not value > 0:
            raise ConfigError(f"`{name}` must be more than 0, but is {value}. Choose a larger one.")


def dropout_rates(config: object, *names: str) -> None:
    """How much dropout takes away: all would leave nothing."""
    for name in names:
        if not 0 <= getattr(config, name) < 1:
            raise ConfigError(f"`{name}` must be in [0, 1), but is {getattr(config, name)}. Choose a share.")
