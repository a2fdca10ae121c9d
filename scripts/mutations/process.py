"""Processes of `scripts/mutation`: several at a time, each with bounds, and ended as soon as it has failed."""
import os
import re
import resource
import selectors
import signal
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor

ISSUE = re.compile(rb"\xe2\x9c\x98.* recorded an issue|^seed \d+ failed: ", re.M)
# A mutant may allocate without end; the suites need a fraction of this address space.
MEMORY = 12 << 30
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


class Outcome:
    """The end of a process: `failure` is the reason, or None for a process that passed."""

    def __init__(self, failure, output, processor, seconds):
        self.failure, self.output, self.processor, self.seconds = failure, output, processor, seconds


class Processes:
    """Runs processes, as many at a time as there are threads in `pool`."""

    def __init__(self, jobs):
        self.pool = ThreadPoolExecutor(jobs)
        self.active, self.lock, self.stopped = set(), threading.Lock(), False

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind is not None:
            with self.lock:
                self.stopped = True
                for process in self.active:
                    os.killpg(process.pid, signal.SIGKILL)
        self.pool.shutdown(cancel_futures=kind is not None)

    def run(self, command, environment, processor=600, seconds=1800):
        """Runs a command until it ends, records an issue, or has used its time: the processor's, and the seconds in which it prints nothing."""

        def bound():
            resource.setrlimit(resource.RLIMIT_CPU, (int(processor) + 1, int(processor) + 2))
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

        # A crash is found by its signal, and its backtrace would take longer than the test.
        environment = os.environ | {"SWIFT_BACKTRACE": "enable=no"} | environment
        begun = time.monotonic()
        with self.lock:
            if self.stopped:
                raise InterruptedError
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment,
                start_new_session=True, preexec_fn=bound,
            )
            self.active.add(process)
        try:
            output, failure = self.read(process, seconds)
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            process.stdout.close()
            with self.lock:
                self.active.discard(process)
        used = usage.ru_utime + usage.ru_stime
        if failure is None and process.returncode != 0:
            failure = self.end(process.returncode, output)
        return Outcome(failure, output.decode("utf-8", "replace"), used, time.monotonic() - begun)

    @staticmethod
    def read(process, seconds):
        """Reads a process's output until it has ended. Returns the output, and the failure if the process did not end by itself."""
        output, searched, silent = bytearray(), 0, 0
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            while True:
                # Seconds are counted one by one: where this program was suspended, so was the process.
                if not selector.select(1):
                    silent += 1
                    if silent >= seconds:
                        return output, "took too long"
                    continue
                part = os.read(process.stdout.fileno(), 1 << 16)
                if not part:
                    # The output is closed, so that the process ends now, and is not killed before.
                    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
                    return output, None
                output += part
                if issue := ISSUE.search(output, searched):
                    line = output[issue.start():].split(b"\n")[0]
                    return output, COLOUR.sub("", line.decode("utf-8", "replace")).strip()
                searched = max(0, output.rfind(b"\n"))

    @staticmethod
    def end(code, output):
        if code == -signal.SIGXCPU or code == -signal.SIGKILL:
            return "took too long"
        if code < 0:
            fatal = re.search(rb"^.*Fatal error.*$", output, re.M)
            return fatal.group().decode("utf-8", "replace") if fatal else f"was ended by {signal.Signals(-code).name}"
        return f"ended with code {code}"
