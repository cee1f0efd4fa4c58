"""What became of every pair of a corpus: how many were read and kept, and why the others were left out."""

from dataclasses import dataclass, field

EXAMPLES = 3  # places that are named for each reason


@dataclass
class LeftOut:
    """How many pairs were left out for one reason, and where the first of them stand."""

    count: int = 0
    examples: list[str] = field(default_factory=list)


@dataclass
class CorpusReport:
    """What became of every pair that was read: read = kept + all that were left out."""

    read: int = 0
    kept: int = 0
    left_out: dict[str, LeftOut] = field(default_factory=dict)

    def leave_out(self, reason: str, where: str) -> None:
        """Counts one more pair left out."""
        entry = self.left_out.setdefault(reason, LeftOut())
        entry.count += 1
        if len(entry.examples) < EXAMPLES:
            entry.examples.append(where)

    def take_back(self, reason: str, where: str) -> None:
        """Leaves out, after all, a pair that was counted as kept."""
        self.kept -= 1
        self.leave_out(reason, where)

    def take(self) -> "CorpusReport":
        """What was counted so far; from now on it is counted anew."""
        taken = CorpusReport(self.read, self.kept, self.left_out)
        self.read, self.kept, self.left_out = 0, 0, {}
        return taken

    def add(self, later: "CorpusReport") -> None:
        """Counts also what was counted after this."""
        self.read += later.read
        self.kept += later.kept
        for reason, entry in later.left_out.items():
            own = self.left_out.setdefault(reason, LeftOut())
            own.count += entry.count
            own.examples += entry.examples[: EXAMPLES - len(own.examples)]

    def count(self, reason: str) -> int:
        """How many pairs were left out for this reason."""
        return self.left_out[reason].count if reason in self.left_out else 0

    def __str__(self) -> str:
        return self.text("pairs")

    def text(self, examples: str) -> str:
        """In words; `examples` is what the task calls its pairs."""
        lines = [f"{self.read:,} {examples} read, {self.kept:,} kept"]
        for reason, entry in self.left_out.items():
            more = ", ..." if entry.count > len(entry.examples) else ""
            lines.append(f"  {entry.count:,} left out: {reason} ({', '.join(entry.examples)}{more})")
        return "\n".join(lines)
