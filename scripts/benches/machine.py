"""Baselines of the machine, and the programs that are built as baselines."""
import os
import random
import shutil
import sqlite3
import subprocess
import time

from benches.command import ROOT
from benches.sheet import Missing


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


def allocated_bytes(folder):
    """Bytes of the blocks of all files in a folder, which are not their lengths; files that disappear meanwhile are ignored."""
    total = 0
    for path, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(os.path.join(path, name)).st_blocks * 512
            except FileNotFoundError:
                pass
    return total


def sqlite_rows(folder, count, row_bytes, at_once=1000):
    """Rows a second of plain SQLite, in order of arrival, that many a transaction, every transaction durable; and the bytes of its files for each
    row, once it is closed."""
    place = os.path.join(folder, "plain")
    os.makedirs(place)
    generator = random.Random(1)
    rows = [(index, 1, generator.randbytes(16), generator.randbytes(row_bytes)) for index in range(count)]
    database = durable_sqlite(place, "plain.sqlite")
    database.execute("CREATE TABLE operation (seq INTEGER PRIMARY KEY, zone INTEGER, tag BLOB, body BLOB)")
    begun = time.perf_counter()
    for start in range(0, count, at_once):
        database.execute("BEGIN")
        database.executemany("INSERT INTO operation VALUES (?, ?, ?, ?)", rows[start : start + at_once])
        database.execute("COMMIT")
    seconds = time.perf_counter() - begun
    database.close()
    size = allocated_bytes(place) / count
    shutil.rmtree(place)
    return count / seconds, size


def built(package, program, may_build=True):
    """The path of a program of a package under Benchmarks; built when needed, unless that is not wanted."""
    place = os.path.join(ROOT, "Benchmarks", package)
    if not may_build:
        path = os.path.join(place, ".build", "release", program)
        if not os.access(path, os.X_OK):
            raise Missing(program, "it is built without --no-build")
        return path
    if shutil.which("swift") is None:
        raise Missing("swift", f"which builds {program}")
    build = ["swift", "build", "--package-path", place, "--configuration", "release"]
    done = subprocess.run(build, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{program} cannot be built\n{done.stdout}")
    folder = subprocess.check_output([*build, "--show-bin-path"], stderr=subprocess.DEVNULL, text=True).strip()
    return os.path.join(folder, program)
