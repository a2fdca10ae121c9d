"""The suites of tests and the histories of the simulator that `scripts/mutation` runs, and the mutants that each of them reaches."""
import hashlib
import json
import os
import re
import sys
import threading

from mutations.build import WORK

# Histories: one seed of each scenario, and more of those that have every kind of fault.
SEEDS = {"everything": [1, 2, 3]}
# Suites up to this many seconds of the processor are run together first: most mutants are found by them.
QUICK = 2
# Each survivor would run nearly the same histories twice.
REPEATED = "SimulatorTests.ScenarioTests"


class Suite:
    """A type with tests, or one history; with the seconds of the processor that it takes, and the numbers of the mutants that it reaches."""

    def __init__(self, name, command=None):
        self.name, self.command = name, command
        self.processor, self.seconds, self.reached = 0.0, 0.0, set()

    @property
    def target(self):
        return self.name.split(".")[0]


class Suites:
    """All suites of the instrumented tree's programs."""

    def __init__(self, build, processes):
        self.build, self.processes = build, processes
        self.file = os.path.join(WORK, "traces.jsonl")
        self.lock = threading.Lock()
        self.tests, self.histories = [], []

    @property
    def identity(self):
        digest = hashlib.sha256()
        for path in (self.build.tests, self.build.simulator):
            with open(path, "rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
        return digest.hexdigest()

    def trace(self):
        """Runs each suite once without a mutant: it has to pass, and shows which mutants it reaches."""
        listed = self.processes.run([self.build.tests, "--testing-library", "swift-testing", "--list-tests"], {})
        names = {suite_name(line) for line in listed.output.splitlines() if re.match(r"^\w+Tests\.", line)}
        scenarios = self.processes.run([self.build.simulator, "--list"], {}).output.splitlines()
        scenarios = [line.split()[0] for line in scenarios if line.strip()]
        if listed.failure or not names or not scenarios:
            sys.exit("mutation: the programs list no tests, or no scenarios")
        self.tests = [Suite(name) for name in sorted(names - {REPEATED})]
        for scenario in scenarios:
            for seed in SEEDS.get(scenario, [1]):
                command = [self.build.simulator, "--scenario", scenario, "--seeds", f"{seed}..{seed}", "--brief"]
                self.histories.append(Suite(f"{scenario} {seed}", command))
        traced = self.read()
        left = [suite for suite in self.tests + self.histories if suite.name not in traced]
        if left:
            print(f"tracing {len(left)} suites and histories", flush=True)
        failed = [failure for failure in self.processes.pool.map(self.trace_one, left) if failure]
        if failed:
            sys.exit("mutation: without a mutant there are failures:\n" + "\n".join(failed))

    def read(self):
        """Reads the traces of these programs that an earlier run has made. Returns the names of their suites."""
        lines = []
        if os.path.exists(self.file):
            with open(self.file, encoding="utf-8") as file:
                lines = [json.loads(line) for line in file if line.endswith("\n")]
        head = {"identity": self.identity}
        if not lines or lines[0] != head:
            with open(self.file, "w", encoding="utf-8") as file:
                file.write(json.dumps(head) + "\n")
            return set()
        rows = {row["name"]: row for row in lines[1:]}
        for suite in self.tests + self.histories:
            if row := rows.get(suite.name):
                suite.processor, suite.seconds, suite.reached = row["processor"], row["seconds"], set(row["reached"])
        return set(rows)

    def trace_one(self, suite):
        path = os.path.join(WORK, "trace." + hashlib.sha256(suite.name.encode()).hexdigest()[:16])
        with open(path, "wb") as file:
            file.write(bytes(max(1, len(self.build.mutants))))
        outcome = self.processes.run(suite.command or self.command([suite]), {"KAIRAN_MUTANT_TRACE": path})
        with open(path, "rb") as file:
            suite.reached = {number for number, byte in enumerate(file.read()) if byte}
        os.remove(path)
        suite.processor, suite.seconds = outcome.processor, outcome.seconds
        if outcome.failure:
            return f"{suite.name}: {outcome.failure}"
        if suite.command is None and not re.search(r"Test run with [1-9]\d* test", outcome.output):
            return f"{suite.name}: no test was run"
        row = {"name": suite.name, "processor": suite.processor, "seconds": suite.seconds, "reached": sorted(suite.reached)}
        with self.lock, open(self.file, "a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
        return None

    def command(self, suites):
        """The command that runs some suites of tests in one process."""
        names = "|".join(re.escape(suite.name).replace("/", r"\/") for suite in suites)
        return [self.build.tests, "--testing-library", "swift-testing", "--filter", f"^({names})(/|$)"]

    def stages(self, mutant):
        """The stages in which a mutant is run, as (stage, commands with their time on the processor): each is made only of suites that reach it."""
        number, own = mutant["number"], mutant["module"] + "Tests"
        reaching = [suite for suite in self.tests if number in suite.reached]
        for stage, chosen in (("unit", [suite for suite in reaching if suite.target == own]), ("upper", [suite for suite in reaching if suite.target != own])):
            commands = []
            for part in ([suite for suite in chosen if suite.processor <= QUICK], [suite for suite in chosen if suite.processor > QUICK]):
                if part:
                    commands.append((self.command(part), sum(suite.processor for suite in part)))
            yield stage, commands
        histories = sorted((suite for suite in self.histories if number in suite.reached), key=lambda suite: suite.processor)
        yield "simulator", [(suite.command, suite.processor) for suite in histories]


def suite_name(line):
    """The target and the outermost type, or the function, of a listed test."""
    match = re.match(r"^(\w+\.(?:`[^`]+`|\w+)(?:\(.*?\))?)", line)
    return match.group(1) if match else line
