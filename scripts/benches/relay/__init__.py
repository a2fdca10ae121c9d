"""The measurements of `scripts/bench-relay`, a module for each storage, and the parts that they share.

A measurement is a function of a `RelayRun`; its docstring states the measured quantity, its unit and its baseline, and `scripts/bench-relay --help`
prints it.
"""
BYTES = 4_096
AT_ONCE = 64
ALONE = 500
TAKERS = 8
