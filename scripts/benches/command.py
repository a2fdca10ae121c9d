"""Parts of the command lines that `scripts/bench`, `scripts/bench-assets` and `scripts/bench-relay` have in common."""
import argparse
import inspect
import os
import signal
import sys
import textwrap

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def parser(document, measurements, usual=None):
    """A parser with the options that all of them have; its help ends with the docstring of each measurement, by name. Without a selection it
    selects those with the usual names, or all."""
    made = argparse.ArgumentParser(
        description=document, epilog="The measurements:\n\n" + "\n".join(described(*named) for named in measurements.items()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("--bin", default=os.path.join(ROOT, ".build", "release"), help="the folder of the programs")
    made.add_argument("--only", default=",".join(usual or measurements), help="names of measurements, with commas between them")
    made.add_argument("--json", action="store_true", help="one JSON document instead of the table")
    return made


def parse(parser, measurements):
    """The arguments, with the selected names as `parts`; ends the program at a name that no measurement has. A program that is asked to end
    removes its folders and ends its daemons from here on."""
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    arguments.parts = arguments.only.split(",")
    if unknown := set(arguments.parts) - set(measurements):
        parser.error(f"unknown: {', '.join(sorted(unknown))}; there are {', '.join(measurements)}")
    return arguments


def described(name, measurement):
    """A measurement's docstring as a paragraph of the help, with its name in a column to the left."""
    lines = textwrap.fill(" ".join(inspect.getdoc(measurement).split()), 110).splitlines()
    return "\n".join(f"  {left:12}{line}" for left, line in zip([name] + [""] * len(lines), lines))
