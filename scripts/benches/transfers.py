"""Contents of assets and parcels, measured by `scripts/bench-assets` and `scripts/bench-relay`."""
import ctypes
import ctypes.util
import json
import os
import signal
import subprocess
import sys
import time

from benches.command import ROOT
from benches.contents.baselines import program
from benches.machine import built
from benches.relay.prerequisites import NATS_SERVER, mosquitto_program
from benches.run import say
from benches.sheet import Missing

CHUNK, SODIUM_BYTES = 64 << 10, 128 << 20


def documents(script, repetitions, *arguments):
    """The documents of that many runs of another measurement."""
    made = []
    for _ in range(repetitions):
        command = [sys.executable, os.path.join(ROOT, "scripts", script), "--json", *arguments]
        code, output, errors = ran(command)
        if code != 0:
            raise RuntimeError(f"{script} ended with {code}: {errors[-600:]}")
        made.append(json.loads(output))
    return made


def ran(command):
    """Runs a program in a group of its own, all of which is ended where this one is; returns its code, its output and its errors."""
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    process = subprocess.Popen(command, **pipes, text=True, start_new_session=True)
    try:
        output, errors = process.communicate()
    except BaseException:
        os.killpg(process.pid, signal.SIGTERM)
        process.communicate()
        raise
    return process.returncode, output, errors


def column(made, key):
    return [document[key] for document in made]


def relay(run):
    """Parcels of 4 KiB at the storage of a relay: puts one after another and 64 at once, each durable, and draining by eight clients at once, a
    second; by `scripts/bench-relay`, whose help describes each part and its differences. Baselines: raw SQLite, a row a transaction, for a relay
    on SQLite; plain JetStream on three servers for one on JetStream; mosquitto, which acknowledges data in memory, for both."""
    run.rest()
    parcel_bench = built("Relay", "parcel-bench", run.may_build)
    lacking = {
        "jetstream": None if os.access(NATS_SERVER, os.X_OK) else Missing("nats-server", "make setup"),
        "mosquitto": None if mosquitto_program() else Missing("mosquitto", "apt-get install --no-install-recommends mosquitto"),
    }
    parts = ["sqlite", *(name for name, missing in lacking.items() if missing is None)]
    made = documents(
        "bench-relay", run.sizes.relay_repetitions, "--bin", run.programs, "--parcel-bench", parcel_bench,
        "--count", str(run.sizes.parcels), "--only", ",".join(parts),
    )

    def others(part, name, key):
        queue = lacking["mosquitto"] or column(made, f"mosquitto_{part}_per_second")
        return [(name, column(made, key)), ("mosquitto, not synced", queue)]

    for part in ("put_alone", "put", "drain"):
        raw = "raw_sqlite_drain_per_second" if part == "drain" else "raw_sqlite_put_per_second"
        run.sheet.report(f"sqlite_{part}", column(made, f"sqlite_{part}_per_second"), others(part, "raw SQLite", raw))
    if lacking["jetstream"]:
        raise lacking["jetstream"]
    for part in ("put_alone", "put", "drain"):
        plain = others(part, "plain JetStream", f"plain_{part}_per_second")
        run.sheet.report(f"jetstream_{part}", column(made, f"jetstream_{part}_per_second"), plain)


def contents(run):
    """A large content uploaded to one daemon, sealed and durable, then on another one, durable: seconds, MiB a second, and processor seconds of
    both for that; and a folder of small files, imported at one and then all on the other; by `scripts/bench-assets`. Baselines: the same bytes
    over a TCP connection into a file that is synced, an rsync daemon that syncs each file, scp; and libsodium alone, which seals each byte once
    (XChaCha20-Poly1305) and hashes it once (BLAKE2b), 64 KiB at a time in one thread, as each side does at least."""
    run.rest()
    for name, package in (("rsync", "rsync"), ("sshd", "openssh-server")):
        if program(name) is None:
            raise Missing(name, f"apt-get install --no-install-recommends {package}")
    size, repetitions = run.sizes.mebibytes, run.sizes.repetitions
    made = documents("bench-assets", repetitions, "--bin", run.programs, "--mebibytes", str(size), "--only", "fetch")
    run.sheet.report("upload_s", column(made, "upload_s"), [("TCP into a file", column(made, "tcp_s"))])
    fetched = column(made, "fetch_s")
    run.sheet.report(
        "fetch_s", fetched, [("the rsync daemon", column(made, "rsync_s")), ("scp", column(made, "scp_s")), ("TCP into a file", column(made, "tcp_s"))],
    )
    try:
        alone = [sodium_rate() for _ in range(repetitions)]
    except Missing as missing:
        alone = missing
    run.sheet.report("transfer_rate", [size / seconds for seconds in fetched], [("libsodium, one sealing and one hash", alone)])
    run.sheet.report("fetch_processor_s", column(made, "fetch_processor_s"))
    run.sheet.report("receiver_mib", column(made, "receiver_mib"))
    if not run.sizes.files:
        for key in ("files_s", "files_there_s"):
            run.sheet.leave(key, "not with --quick")
    else:
        say("many small files")
        made = documents("bench-assets", 1, "--bin", run.programs, "--mebibytes", "1", "--files", str(run.sizes.files), "--only", "files")
        rsync = column(made, "rsync_files_s")
        run.sheet.report("files_s", column(made, "import_s"), [("the rsync daemon", rsync)])
        run.sheet.report("files_there_s", column(made, "files_there_s"), [("the rsync daemon", rsync)])


def sodium_rate():
    """MiB a second that libsodium seals and hashes in this thread."""
    name = ctypes.util.find_library("sodium")
    if name is None:
        raise Missing("libsodium", "apt-get install libsodium23")
    sodium = ctypes.CDLL(name)
    if sodium.sodium_init() < 0:
        raise RuntimeError("libsodium does not start")
    text = ctypes.create_string_buffer(os.urandom(CHUNK), CHUNK)
    sealed = ctypes.create_string_buffer(CHUNK + 16)
    nonce, key, digest = ctypes.create_string_buffer(24), ctypes.create_string_buffer(os.urandom(32), 32), ctypes.create_string_buffer(32)
    length, none = ctypes.c_ulonglong, None
    rounds, begun = SODIUM_BYTES // CHUNK, time.perf_counter()
    for _ in range(rounds):
        sealing = sodium.crypto_aead_xchacha20poly1305_ietf_encrypt(sealed, none, text, length(CHUNK), none, length(0), none, nonce, key)
        hashing = sodium.crypto_generichash(digest, ctypes.c_size_t(32), sealed, length(CHUNK + 16), none, ctypes.c_size_t(0))
        if sealing != 0 or hashing != 0:
            raise RuntimeError("libsodium refuses")
    return rounds * CHUNK / (1 << 20) / (time.perf_counter() - begun)
