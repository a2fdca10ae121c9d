"""The measurements of `scripts/bench`, a module for each, and the parts that they share with those of `scripts/bench-relay`.

A measurement is a function of a `Run`; its docstring states the measured quantity, its unit and its baseline, and `scripts/bench --help` prints it.
`localapi`, the client of the local socket, is beside this package.
"""
