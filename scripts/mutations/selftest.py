"""Shows that `scripts/mutation` notices each way in which a process fails, and finds the mutants at an error of the compiler."""
import sys

from mutations.build import ERROR, at_error
from mutations.process import Processes
from mutations.suites import suite_name

# A command for the shell, and the beginning of the failure that it ends with; None for a process that passes.
COMMANDS = [
    ("echo passed; sleep 0.2; echo again", None),
    ("exit 3", "ended with code 3"),
    ("kill -SEGV $$", "was ended by SIGSEGV"),
    ("echo 'Fatal error: Index out of range'; kill -ILL $$", "Fatal error: Index out of range"),
    ("printf '\\342\\234\\230 Test \"a\" recorded an issue at b.swift:1:1'; sleep 60", "\u2718 Test \"a\" recorded an issue"),
    ("printf '\\033[91m\\342\\234\\230\\033[0m Test \"a\" recorded an issue'; sleep 60", "\u2718 Test \"a\" recorded an issue"),
    ("echo 'seed 3 failed: law 4'; sleep 60", "seed 3 failed: law 4"),
    ("echo 'Test \"a\" recorded a known issue at b.swift:1:1'", None),
    # Processor time, memory, and time in which nothing happens.
    ("while :; do :; done", "took too long"),
    ("sleep 60", "took too long"),
    (f"'{sys.executable}' -c 'bytearray(1 << 36)'", "ended with code 1"),
]

NAMES = {
    "SyncTests.FeedTests/`a page ends`()": "SyncTests.FeedTests",
    "SyncTests.`A feed, and its pages`/`a page ends`(count:)": "SyncTests.`A feed, and its pages`",
    "SyncTests.FeedTests/Inner/`a page ends`()": "SyncTests.FeedTests",
    "SyncTests.`a page ends`()": "SyncTests.`a page ends`()",
}


def mutant(number, line, last):
    return {"number": number, "path": "a.swift", "line": line, "lastLine": last}


MUTANTS = [mutant(0, 2, 9), mutant(1, 4, 4), mutant(2, 4, 4), mutant(3, 7, 7)]
# A line with an error, and the mutants that are left out for it: the smallest that contain it, else the last one above.
ERRORS = {4: [1, 2], 5: [0], 7: [3], 12: [3], 1: []}


def selftest():
    failures = []
    with Processes(2) as processes:
        outcomes = processes.pool.map(lambda row: processes.run(["sh", "-c", row[0]], {}, processor=2, seconds=6), COMMANDS)
        for (command, expected), outcome in zip(COMMANDS, outcomes):
            if outcome.failure != expected and not (expected and (outcome.failure or "").startswith(expected)):
                failures.append(f"{command}: {outcome.failure}, not {expected}")
    failures += [f"{line}: {suite_name(line)}, not {name}" for line, name in NAMES.items() if suite_name(line) != name]
    for line, numbers in ERRORS.items():
        found = [mutant["number"] for mutant in at_error(MUTANTS, "a.swift", line)]
        if found != numbers:
            failures.append(f"an error in line {line}: mutants {found}, not {numbers}")
    if at_error(MUTANTS, "b.swift", 4):
        failures.append("an error in another file: mutants were found")
    said = "/t/a b.swift:12:3: error: no such member\nnote: /t/a.swift:1:1: warning: unused\n"
    if ERROR.findall(said) != [("/t/a b.swift", "12", "no such member")]:
        failures.append(f"the compiler's errors: {ERROR.findall(said)}")
    for failure in failures:
        print(f"mutation: self-test: {failure}", file=sys.stderr)
    if not failures:
        print(f"mutation: self-test: {len(COMMANDS)} processes, {len(NAMES)} names and {len(ERRORS) + 1} errors are as expected")
    return not failures
