"""A relay without parcels."""
import contextlib
import os
import subprocess
import sys

from benches.node import Node, wait_for
from benches.relay.run import say

SESSIONS, MAILBOXES, SECONDS = 10, 1_000, 30


def idle(run):
    """A real `kairand --relay` with ten real sessions that poll 1,000 mailboxes together, as devices with three partners each do, over 30 s: resident
    memory in MiB, processor time in percent, wake-ups a second. Baseline: the same relay without sessions."""
    relay = Node.relay(run.folder, run.daemon)
    try:
        relay.start()
        admission = {"name": "bench", "quota_bytes": 1 << 30, "addresses": [relay.relay_address]}
        link = relay.api.request("POST", "/v1/relay/admissions", admission)["link"]
        say(f"an idle relay without sessions, {SECONDS} s")
        without = over(relay, SECONDS)
        with sessions(run.parcel_bench, link):
            say(f"the same with {MAILBOXES:,} mailboxes, {SECONDS} s")
            figures = over(relay, SECONDS)
    except BaseException:
        if os.path.exists(relay.log):
            print(f"---- log of the relay\n{relay.tail()}", file=sys.stderr)
        raise
    finally:
        relay.stop()
    lines = (
        (f"idle relay, {MAILBOXES:,} mailboxes: memory", "mib", "{:.1f} MiB"),
        ("  processor time", "percent", "{:.2f} %"),
        ("  wake-ups a second, all threads", "wake_ups", "{:.1f}"),
    )
    for words, key, form in lines:
        run.table.add(
            words, form.format(figures[key]), f"{form.format(without[key])} without sessions",
            **{f"idle_{key}": figures[key], f"idle_{key}_without": without[key]},
        )


@contextlib.contextmanager
def sessions(program, link):
    """Real sessions with a relay, which poll mailboxes within the block."""
    command = [program, "look", "--sessions", str(SESSIONS), "--mailboxes", str(MAILBOXES)]
    caller = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        caller.stdin.write(link + "\n")
        caller.stdin.flush()
        if not caller.stdout.readline():
            raise RuntimeError(f"parcel-bench look ended with {caller.wait()}")
        yield
        if caller.poll() is not None:
            raise RuntimeError(f"parcel-bench look ended with {caller.returncode}")
    finally:
        caller.kill()
        caller.wait()


def over(relay, seconds):
    """The resources that a relay uses in some time without requests at its socket."""
    relay.api.close()
    settle(relay)
    processor, woken = relay.rest(seconds)
    return {"mib": relay.memory(), "percent": 100 * processor, "wake_ups": woken}


def settle(relay):
    """Waits until a relay has finished its work after the start: it uses less than a hundredth of a processor in a second."""
    known = [relay.processor_seconds()]

    def is_quiet():
        known.append(relay.processor_seconds())
        return known[-1] - known[-2] <= 0.01

    wait_for("the relay to come to rest", is_quiet, pause=1)
