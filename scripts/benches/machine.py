"""Baselines of the machine, and the programs that are built as baselines."""
import os
import sqlite3
import subprocess
import time

from benches.command import ROOT


def fsync_seconds(folder, count=300):
    """Times of one fdatasync after 4 KiB appended to a file: all samples, ascending."""
    samples = []
    block = os.urandom(4096)
    with open(os.path.join(folder, "fsync"), "wb", buffering=0) as file:
        for _ in range(count):
            file.write(block)
            begun = time.perf_counter()
            os.fdatasync(file.fileno())
            samples.append(time.perf_counter() - begun)
    return sorted(samples)


def durable_sqlite(folder, name):
    """A new database with a write-ahead log, in which each transaction is durable; statements outside of one are transactions of their own."""
    database = sqlite3.connect(os.path.join(folder, name), isolation_level=None)
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = FULL")
    return database


def built(package, program):
    """The path of a program of a package under Benchmarks; built when needed."""
    build = ["swift", "build", "--package-path", os.path.join(ROOT, "Benchmarks", package), "--configuration", "release"]
    done = subprocess.run(build, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{program} cannot be built\n{done.stdout}")
    folder = subprocess.check_output([*build, "--show-bin-path"], stderr=subprocess.DEVNULL, text=True).strip()
    return os.path.join(folder, program)
