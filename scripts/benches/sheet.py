"""The one table of `scripts/bench`: its rows, their statistics and verdicts, and its forms as text, Markdown and JSON.

A row is declared with its target before anything is measured, so that each row has a state at the end: measured, *not installed* where a program
that it needs is missing, *failed*, or *only with --full*. No row disappears.
"""
import dataclasses
import math
import statistics


class Missing(Exception):
    """A program or library that a measurement needs is not on this machine."""

    def __init__(self, what, way=""):
        super().__init__(f"not installed: {what}" + (f" ({way})" if way else ""))


@dataclasses.dataclass(frozen=True)
class Unit:
    """The way in which numbers are written."""

    name: str
    digits: int = 0
    #: Between the number and the name.
    space: str = " "

    def text(self, number):
        return f"{number:,.{self.digits}f}{self.space if self.name else ''}{self.name}"


MS, SECONDS, RATE, BYTES = Unit("ms", 2), Unit("s", 2), Unit("/s", space=""), Unit("B")
MIB, MIB_RATE, COUNT = Unit("MiB", 1), Unit("MiB/s"), Unit("")


@dataclasses.dataclass(frozen=True)
class Row:
    """A row before it is measured: its name in the JSON document, its words, and its target.

    The bounds of the ratio are for the first baseline. `{records}` and the like in the words are numbers of the run.
    """

    key: str
    words: str
    unit: Unit
    at_most: float | None = None
    at_least: float | None = None
    ratio_at_most: float | None = None
    ratio_at_least: float | None = None
    is_full_only: bool = False

    @property
    def target(self):
        """The bounds, for people."""
        bounds = []
        for sign, bound, ratio in (("<=", self.at_most, self.ratio_at_most), (">=", self.at_least, self.ratio_at_least)):
            bounds += [f"{sign} {self.unit.text(bound)}"] if bound is not None else []
            bounds += [f"{sign} {ratio:g} x"] if ratio is not None else []
        return ", ".join(bounds)

    def is_met(self, median, ratio):
        """Whether all bounds hold; None if there are none, or one of them is for a ratio that is not known."""
        checks = [(median, self.at_most, self.at_least), (ratio, self.ratio_at_most, self.ratio_at_least)]
        verdicts = []
        for number, most, least in checks:
            if most is None and least is None:
                continue
            if number is None:
                verdicts.append(None)
            else:
                verdicts.append((most is None or number <= most) and (least is None or number >= least))
        if False in verdicts:
            return False
        return None if None in verdicts or not verdicts else True


@dataclasses.dataclass(frozen=True)
class Spread:
    """The samples of one quantity; each is the figure of one repetition."""

    samples: tuple

    def __post_init__(self):
        if not self.samples or not all(math.isfinite(sample) for sample in self.samples):
            raise ValueError(f"no figures: {self.samples}")

    @property
    def median(self):
        return statistics.median(self.samples)

    def text(self, unit):
        """The range and the number of repetitions; nothing for a single one."""
        if len(self.samples) == 1:
            return "one run"
        return f"{unit.text(min(self.samples))} to {unit.text(max(self.samples))} of {len(self.samples)}"


def spread(samples):
    """A spread of one number or of several."""
    return Spread(tuple(samples) if isinstance(samples, (list, tuple)) else (samples,))


class Written(dict):
    """Numbers with separators between thousands, for words of rows."""

    def __getitem__(self, key):
        return f"{super().__getitem__(key):,}"


class Filled:
    """A row with its result."""

    def __init__(self, section, row, words):
        self.section, self.row, self.words = section, row, words
        self.measured, self.beside, self.note = None, [], ""
        #: Instead of a result: the reason why there is none.
        self.reason = "failed: not measured"

    @property
    def ratio(self):
        """The first baseline's; None without one."""
        for _, other in self.beside[:1]:
            if self.measured and isinstance(other, Spread) and other.median:
                return self.measured.median / other.median
        return None

    @property
    def state(self):
        if self.measured is None:
            return self.reason.partition(":")[0]
        return {True: "met", False: "missed", None: ""}[self.row.is_met(self.measured.median, self.ratio)]

    def beside_text(self):
        """The baselines with the ratios to them."""
        parts = []
        for name, other in self.beside:
            if not isinstance(other, Spread):
                parts.append(f"{name}: {other.partition(':')[0]}")
            elif self.measured and other.median:
                parts.append(f"{self.measured.median / other.median:.2f} x {name} ({self.row.unit.text(other.median)})")
            else:
                parts.append(f"{name} {self.row.unit.text(other.median)}")
        return "; ".join([*parts, *([self.note] if self.note else [])])

    def cells(self):
        """The texts of the row's columns."""
        if self.measured is None:
            return [self.words, "", "", self.reason, self.row.target, self.state]
        unit = self.row.unit
        return [
            self.words, unit.text(self.measured.median), self.measured.text(unit), self.beside_text(), self.row.target, self.state,
        ]

    def document(self):
        """The row for the JSON document."""
        made = {
            "section": self.section, "key": self.row.key, "what": self.words, "unit": self.row.unit.name, "target": self.row.target,
            "state": self.state or "measured",
        }
        if self.measured is None:
            return {**made, "reason": self.reason}
        beside = [
            {"name": name, **figures(other), "ratio": rounded(self.measured.median / other.median) if other.median else None}
            if isinstance(other, Spread) else {"name": name, "reason": other}
            for name, other in self.beside
        ]
        return {**made, **figures(self.measured), "beside": beside, **({"note": self.note} if self.note else {})}


def rounded(number):
    """To six significant digits."""
    return float(f"{number:.6g}")


def figures(values):
    return {
        "median": rounded(values.median), "least": rounded(min(values.samples)), "most": rounded(max(values.samples)),
        "samples": [rounded(sample) for sample in values.samples],
    }


HEADS = ["measurement", "median", "range", "beside it", "target", "state"]
WIDTHS = [58, 13, 30, 56, 20]


def markdown_row(cells):
    return "| " + " | ".join(cell.replace("|", "\\|").replace(" x", " ×").replace("<=", "≤").replace(">=", "≥") for cell in cells) + " |"


class Sheet:
    """The rows of a run, in the order of their declaration; prints those of a section when it has ended."""

    def __init__(self, form, numbers, is_full):
        #: `text`, `markdown` or `json`; the latter two are printed at the end.
        self.form, self.numbers, self.is_full = form, numbers, is_full
        self.rows, self.section = [], None
        if form == "text":
            self.print_text(HEADS)

    def print_text(self, cells):
        print("  ".join([*(f"{cell:{width}}" for cell, width in zip(cells, WIDTHS)), cells[-1]]).rstrip(), flush=True)

    def begin(self, section, rows):
        """Begins a section with its declared rows."""
        self.section = section
        for row in rows:
            filled = Filled(section, row, row.words.format_map(Written(self.numbers)))
            if row.is_full_only and not self.is_full:
                filled.reason = "only with --full"
            self.rows.append(filled)

    def report(self, key, samples, beside=(), note=""):
        """The figures of a declared row: one a repetition. A baseline is a pair of its name and its figures, or of its name and `Missing`."""
        filled = next(one for one in self.rows if one.section == self.section and one.row.key == key)
        filled.measured, filled.note = spread(samples), note
        filled.beside = [(name, str(other) if isinstance(other, Missing) else spread(other)) for name, other in beside]

    def leave(self, key, reason):
        """States why a declared row has no figures."""
        next(one for one in self.rows if one.section == self.section and one.row.key == key).reason = reason

    def add(self, what, value, ratio="", target="", **figures_of_row):
        """A row of a section that declares none, as texts."""
        filled = Filled(self.section, Row(next(iter(figures_of_row), what), what, COUNT), what.strip())
        filled.cells = lambda: [filled.words, value, "", ratio, target, ""]
        filled.document = lambda: {
            "section": filled.section, "what": filled.words, "value": value, "ratio": ratio, "target": target,
            **{key: rounded(number) for key, number in figures_of_row.items()},
        }
        filled.reason = ""
        self.rows.append(filled)

    def end(self, problem=None):
        """Ends the section; its rows without figures have the reason of the problem."""
        ended = [filled for filled in self.rows if filled.section == self.section]
        if problem is not None:
            reason = str(problem) if isinstance(problem, Missing) else f"failed: {' '.join(str(problem).split()) or type(problem).__name__}"
            for filled in ended:
                if filled.measured is None and filled.reason.startswith("failed"):
                    filled.reason = reason
        if self.form == "text":
            for filled in ended:
                self.print_text(filled.cells())

    @property
    def has_failed(self):
        return any(filled.measured is None and filled.reason.startswith("failed") for filled in self.rows)

    def markdown(self):
        lines = [markdown_row(HEADS), "|" + "---|" * len(HEADS)]
        return "\n".join(lines + [markdown_row(filled.cells()) for filled in self.rows])

    def documents(self):
        return [filled.document() for filled in self.rows]

    def summary(self):
        """The number of rows with each state."""
        states = [filled.state for filled in self.rows]
        return ", ".join(f"{states.count(state)} {state or 'without a target'}" for state in dict.fromkeys(states))
