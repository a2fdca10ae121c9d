#!/usr/bin/env python3
"""Prints how long 100 changes take from one daemon to their events at another: the median and the 99th percentile.

    scripts/demos/latency.py SOCKET OTHER-SOCKET ZONE
"""
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import localapi  # noqa: E402 (in the folder above)

samples = localapi.change_to_event(localapi.Daemon(sys.argv[1]), sys.argv[2], sys.argv[3], 100)
print(f"{1000 * localapi.quantile(samples, 0.5):.2f} ms, 99th percentile {1000 * localapi.quantile(samples, 0.99):.2f} ms")
