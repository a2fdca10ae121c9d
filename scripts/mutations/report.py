"""The tables of `scripts/mutation`."""

COLUMNS = ["drawn", "run", "unit", "upper", "simulator", "survived", "unreached", "share"]


def tables(build, results):
    """The outcomes by module and kind of change. The share is that of the mutants that were noticed."""
    modules = sorted({mutant["module"] for mutant in build.mutants})
    kinds = sorted({mutant["kind"] for mutant in build.mutants})
    lines = []
    for module in modules:
        lines += [row(build, results, [module, kind], lambda m, a=module, k=kind: m["module"] == a and m["kind"] == k) for kind in kinds]
        lines.append(row(build, results, [module, "all"], lambda m, a=module: m["module"] == a))
    lines += [row(build, results, ["all", kind], lambda m, k=kind: m["kind"] == k) for kind in kinds]
    lines.append(row(build, results, ["all", "all"], lambda m: True))
    lines = ["| module | change | " + " | ".join(COLUMNS) + " |", "|---" * (len(COLUMNS) + 2) + "|"] + lines
    dropped = len(build.dropped)
    left = len([mutant for mutant in build.running if mutant["number"] not in results.rows])
    return "\n".join(lines) + f"\n\n{dropped} mutants do not compile, {left} were not run yet.\n"


def row(build, results, names, matches):
    drawn = [mutant for mutant in build.mutants if matches(mutant)]
    outcomes = [results.rows[mutant["number"]]["outcome"] for mutant in drawn if mutant["number"] in results.rows]
    counts = [outcomes.count(name) for name in COLUMNS[2:7]]
    share = f"{100 * sum(counts[:3]) / len(outcomes):.1f} %" if outcomes else "–"
    return "| " + " | ".join([*names, str(len(drawn)), str(len(outcomes)), *map(str, counts), share]) + " |"


def survivors(build, results):
    """The mutants that nothing noticed, by place."""
    lines = []
    for mutant in build.mutants:
        outcome = results.rows.get(mutant["number"], {}).get("outcome")
        if outcome in ("survived", "unreached"):
            place = f"{mutant['path']}:{mutant['line']}:{mutant['column']}"
            lines.append(f"{mutant['number']:4} {outcome:9} {place}  {mutant['kind']}\n       - {mutant['before']}\n       + {mutant['after']}")
    return "\n".join(lines)
