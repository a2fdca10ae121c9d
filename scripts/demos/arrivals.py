#!/usr/bin/env python3
"""Waits until all daemons have a number of records, and prints the seconds that it took.

    scripts/demos/arrivals.py RECORDS ZONE SINCE LIVE FOLDER…

SINCE is the beginning, in microseconds since 1970. Where LIVE is not empty, a line on standard error shows meanwhile how many records each daemon
has. The socket of a daemon is run/kairand.sock in its folder, whose name is the daemon's. It is an error when it takes three minutes.
"""
import os
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import localapi  # noqa: E402 (in the folder above)


def count(daemons, zone, counts, wanted):
    """Updates the numbers of records that have not all arrived yet."""
    for name, daemon in daemons.items():
        try:
            counts[name] = counts[name] if counts[name] == wanted else daemon.zone(zone)["records"]
        except localapi.Refused:
            pass  # the zone itself has not arrived there yet


def main():
    wanted, zone, begun, live, folders = int(sys.argv[1]), sys.argv[2], int(sys.argv[3]) / 1e6, sys.argv[4], sys.argv[5:]
    daemons = {os.path.basename(folder): localapi.Daemon(f"{folder}/run/kairand.sock") for folder in folders}
    counts = dict.fromkeys(daemons, 0)
    shown = 0
    while True:
        count(daemons, zone, counts, wanted)
        took = time.time() - begun
        finished = all(number == wanted for number in counts.values())
        if live and (finished or took - shown > 0.1):
            shown = took
            line = "   ".join(f"{name} {number:>7,}" for name, number in counts.items())
            print(f"\r  {took:6.1f}s  {line}   {min(counts.values()) / took:9,.0f}/s", end="", file=sys.stderr, flush=True)
        if finished:
            break
        if took > 180:
            sys.exit(f"not all arrived within three minutes: {counts}")
        time.sleep(0.01)
    if live:
        print("\r\x1b[K", end="", file=sys.stderr)
    print(f"{took:.2f}")


main()
