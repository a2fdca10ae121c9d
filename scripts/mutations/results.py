"""The outcomes of mutants in `scripts/mutation`, appended to a file one by one: a run that ends early continues there."""
import json
import os
import threading

from mutations.build import WORK


class Results:
    """The outcome of each mutant that was run, by number."""

    def __init__(self, build):
        self.file = os.path.join(WORK, "results.jsonl")
        self.identity = build.identity
        self.rows, self.lock = {}, threading.Lock()
        if os.path.exists(self.file):
            with open(self.file, encoding="utf-8") as file:
                lines = [line for line in file if line.endswith("\n")]
            if lines and json.loads(lines[0]) == {"identity": self.identity}:
                for line in lines[1:]:
                    row = json.loads(line)
                    self.rows[row["number"]] = row
                return
        self.write()

    def write(self):
        os.makedirs(WORK, exist_ok=True)
        with open(self.file, "w", encoding="utf-8") as file:
            for row in [{"identity": self.identity}, *self.rows.values()]:
                file.write(json.dumps(row) + "\n")

    def add(self, number, outcome, by, seconds):
        row = {"number": number, "outcome": outcome, "by": by, "seconds": round(seconds, 1)}
        with self.lock, open(self.file, "a", encoding="utf-8") as file:
            self.rows[number] = row
            file.write(json.dumps(row) + "\n")

    def forget(self, *outcomes):
        """Removes the rows with some outcomes, so that their mutants are run again."""
        self.rows = {number: row for number, row in self.rows.items() if row["outcome"] not in outcomes}
        self.write()
