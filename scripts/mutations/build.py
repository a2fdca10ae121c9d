"""The instrumented tree of `scripts/mutation`, and its build."""
import hashlib
import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
WORK = os.path.join(ROOT, ".build-mutation")
TREE = os.path.join(WORK, "tree")
LOG = os.path.join(WORK, "build.log")
ERROR = re.compile(r"^(/.+\.swift):(\d+):\d+: error: (.*)$", re.M)
# A sample of this size has at most a few per cent of mutants that do not compile; each build finds all of one compiler's phase.
BUILDS = 12


class Build:
    """The tree with all mutants of a sample inside, and the programs that are built from it.

    `mutants` are the rows of the sample, those that do not compile included, whose numbers are in `dropped` with the compiler's error.
    """

    def __init__(self, count, seed, modules):
        self.count, self.seed, self.modules = count, seed, modules.split(",")
        self.dropped_file = os.path.join(WORK, "dropped.json")
        self.tests = os.path.join(TREE, ".build", "debug", "kairanPackageTests.xctest")
        self.simulator = os.path.join(TREE, ".build", "debug", "kairan-sim")
        self.mutants, self.dropped = [], {}
        if os.path.exists(os.path.join(TREE, "mutants.json")):
            self.read()

    @property
    def identity(self):
        """A text that other sources or another sample would not have."""
        return hashlib.sha256(json.dumps(self.mutants, sort_keys=True).encode()).hexdigest()[:16]

    @property
    def running(self):
        return [mutant for mutant in self.mutants if mutant["number"] not in self.dropped]

    def make(self):
        os.makedirs(TREE, exist_ok=True)
        package = ["--package-path", os.path.join(ROOT, "Mutation")]
        subprocess.run(["swift", "build", *package, "--product", "kairan-mutate"], check=True, stdout=subprocess.DEVNULL)
        shown = subprocess.run(["swift", "build", *package, "--show-bin-path"], check=True, stdout=subprocess.PIPE, text=True)
        self.tool = os.path.join(shown.stdout.strip(), "kairan-mutate")
        self.copy()
        before = self.identity
        self.instrument()
        self.read()
        if self.identity != before:
            # Another sample, in which the numbers have other meanings.
            self.instrument()
        for _ in range(BUILDS):
            if not (errors := self.compile()):
                return
            self.drop(errors)
            self.instrument()
        sys.exit(f"mutation: {BUILDS} builds found mutants that do not compile; the last one is in {LOG}")

    def copy(self):
        """Copies the tree, except for the sources that are instrumented. A file that is there already keeps its time."""
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True
        ).stdout.split("\0")
        copied = set()
        for path in filter(None, listed):
            source = os.path.join(ROOT, path)
            if os.path.islink(source) or not os.path.isfile(source):
                continue
            copied.add(path)
            if path.startswith("Mutation/Switch/") and path.endswith((".c", ".h")):
                self.put(source, path.replace("Mutation/Switch", "Sources/MutationSwitch"))
            elif path.startswith("Sources/") and path.split("/")[1] in self.modules:
                continue
            elif path == "Package.swift":
                with open(source, "rb") as manifest, open(os.path.join(ROOT, "Mutation", "Switch", "Package.end"), "rb") as end:
                    self.write(path, manifest.read() + end.read())
            else:
                self.put(source, path)
        for folder, _, files in [entry for top in ("Sources", "Tests") for entry in os.walk(os.path.join(TREE, top))]:
            for name in files:
                path = os.path.relpath(os.path.join(folder, name), TREE)
                if path not in copied and not path.startswith("Sources/MutationSwitch/"):
                    os.remove(os.path.join(TREE, path))

    def put(self, source, path):
        with open(source, "rb") as file:
            self.write(path, file.read())

    def write(self, path, content):
        target = os.path.join(TREE, path)
        if os.path.exists(target):
            with open(target, "rb") as file:
                if file.read() == content:
                    return
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "wb") as file:
            file.write(content)

    def instrument(self):
        command = [self.tool, "--root", ROOT, "--into", TREE, "--modules", ",".join(self.modules)]
        command += ["--count", str(self.count), "--seed", str(self.seed), "--without", ",".join(map(str, self.dropped))]
        subprocess.run(command, check=True)

    def read(self):
        with open(os.path.join(TREE, "mutants.json"), encoding="utf-8") as file:
            self.mutants = json.load(file)
        self.dropped = {}
        if os.path.exists(self.dropped_file):
            with open(self.dropped_file, encoding="utf-8") as file:
                saved = json.load(file)
            if saved["identity"] == self.identity:
                self.dropped = {int(number): error for number, error in saved["errors"].items()}

    def compile(self):
        """Builds everything that is run. Returns the places and texts of the compiler's errors, of one module at a time."""
        environment = os.environ | {"KAIRAN_OPTIMISED": "1"}
        for variable in ("KAIRAN_PURE", "KAIRAN_PROGRAMS", "KAIRAN_EXAMPLES"):
            environment.pop(variable, None)
        targets = [["--target", module] for module in ("Records", "Identity", "Capabilities", "Sync") if module in self.modules]
        for what in [*targets, ["--build-tests"], ["--product", "kairan-sim"]]:
            print(f"building {what[-1].removeprefix('--')}", flush=True)
            command = ["swift", "build", "--package-path", TREE, "-debug-info-format", "none"]
            # All errors of a module at once.
            command += ["-Xswiftc", "-continue-building-after-errors", *what]
            built = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment)
            with open(LOG, "w", encoding="utf-8") as log:
                log.write(built.stdout)
            if built.returncode != 0:
                errors = sorted(set(ERROR.findall(built.stdout)))
                if not errors:
                    sys.exit(f"mutation: the build failed without an error in a Swift file; its output is in {LOG}")
                return errors
        return []

    def drop(self, errors):
        """Leaves out the mutants at the compiler's errors."""
        found = {}
        for file, line, text in errors:
            path = os.path.relpath(file, TREE)
            mutants = at_error(self.running, path, int(line))
            if not mutants:
                sys.exit(f"mutation: no mutant is at the error {path}:{line}: {text}")
            found |= {mutant["number"]: text for mutant in mutants}
        self.dropped |= found
        print(f"{len(found)} mutants do not compile", flush=True)
        with open(self.dropped_file, "w", encoding="utf-8") as file:
            json.dump({"identity": self.identity, "errors": self.dropped}, file, indent=1)


def at_error(mutants, path, line):
    """The mutants that make an error in a line: the smallest ones that contain it, else the last one above it in the file."""
    inside = [mutant for mutant in mutants if mutant["path"] == path]
    around = [mutant for mutant in inside if mutant["line"] <= line <= mutant["lastLine"]]
    size = min((mutant["lastLine"] - mutant["line"] for mutant in around), default=0)
    # An initialisation that is missing is an error at its use.
    above = [mutant for mutant in inside if mutant["lastLine"] < line]
    return [mutant for mutant in around if mutant["lastLine"] - mutant["line"] == size] or above[-1:]
