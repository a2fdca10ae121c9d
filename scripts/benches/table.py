"""The table of the figures."""


class Table:
    """Prints the lines as they arrive, and collects the figures for --json."""

    def __init__(self, quiet):
        self.quiet, self.figures = quiet, {}
        if not quiet:
            print(f"{'':48} {'measured':>12}  {'baseline':32} target")

    def add(self, what, value, ratio="", target="", **figures):
        """A line of the table; `figures` are the same numbers under the keys of the JSON document, rounded to four digits."""
        self.figures.update({key: round(number, 4) for key, number in figures.items()})
        if not self.quiet:
            print(f"{what:48} {value:>12}  {ratio:32} {target}", flush=True)
