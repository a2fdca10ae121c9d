"""Runs the mutants of `scripts/mutation`."""
import time

# A mutant that takes this many times the processor's time of the unchanged program, and some seconds, does not end. Nor does one that prints nothing
# in many times those seconds: it waits for something.
TIMES, SECONDS = 4, 15
WAITING = 60
# Mutants that are drawn side by side are run far from each other, so that the share of a run that is not finished is that of all modules.
GOLDEN = 0.6180339887


class Run:
    def __init__(self, build, suites, processes, results):
        self.build, self.suites, self.processes, self.results = build, suites, processes, results

    def run(self, only):
        left = [mutant for mutant in self.build.running if mutant["number"] not in self.results.rows]
        if only:
            left = [mutant for mutant in left if mutant["number"] in only]
        left.sort(key=lambda mutant: mutant["number"] * GOLDEN % 1)
        print(f"running {len(left)} mutants", flush=True)
        for number, outcome, by in self.processes.pool.map(self.run_one, left):
            print(f"{len(self.results.rows):4} {number:4} {outcome:9} {by[:150]}", flush=True)

    def run_one(self, mutant):
        """Runs the suites that reach a mutant, until one fails."""
        number, begun, ran = mutant["number"], time.monotonic(), False
        for stage, commands in self.suites.stages(mutant):
            for command, processor in commands:
                ran = True
                bound = processor * TIMES + SECONDS
                outcome = self.processes.run(command, {"KAIRAN_MUTANT": str(number)}, bound, bound * WAITING)
                if outcome.failure:
                    return self.note(number, stage, outcome.failure, begun)
        return self.note(number, "survived" if ran else "unreached", "", begun)

    def note(self, number, outcome, by, begun):
        self.results.add(number, outcome, by, time.monotonic() - begun)
        return number, outcome, by
