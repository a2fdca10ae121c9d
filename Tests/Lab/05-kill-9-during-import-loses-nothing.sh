#!/usr/bin/env bash
# An import runs and prints how many records are acknowledged. Meanwhile the daemon is killed with -9, again and again.
# Afterwards every acknowledged record is present, on this host and on the other.
. "$(dirname "$0")/defines.sh"
ROUNDS=${ROUNDS:-5}
lab_up 2
start_daemon a
start_daemon b
pair a b
kairan_on a --json zone create numbers --container lab >/dev/null

last_saved() { json 'max([x.get("saved", 0) for x in documents])' <"$LAB/import-$1.ndjson"; }
enough_is_saved() { [ "$(last_saved "$1")" -ge "$2" ]; }

acknowledged=()
for ((round = 1; round <= ROUNDS; round++)); do
    from=$((round * 1000000))
    # Far more records than can be saved before the kill; the generator ends with its reader.
    numbered_records "$from" $((from + 499999)) 2>/dev/null |
        kairan_on a --json import numbers >"$LAB/import-$round.ndjson" 2>"$LAB/import-$round.log" &
    import=$!
    wait_until 60 "acknowledged records in round $round" enough_is_saved "$round" $((RANDOM % 1500 + 1))
    kill_daemon a
    if wait "$import"; then fail "the import reports success, although its daemon was killed"; fi
    saved=$(last_saved "$round")
    acknowledged+=("$from:$saved")
    step "round $round: killed after $saved acknowledged records"
    start_daemon a
done

kairan_on a export numbers >"$LAB/a.ndjson"
# Lines are saved in the order of the input, and none can fail: the acknowledged records are the first N of each round.
all_there() {
    "$PYTHON" - "$1" "${acknowledged[@]}" <<'CHECK'
import json, sys
present = {}
for line in open(sys.argv[1]):
    record = json.loads(line)
    present[record["name"]] = record["fields"]["value"]
total = lost = 0
for item in sys.argv[2:]:
    first, count = map(int, item.split(":"))
    for i in range(first, first + count):
        total += 1
        lost += present.get(f"n-{i:06}") != i
print(f"{total} acknowledged, {lost} lost, {len(present)} present")
sys.exit(lost > 0 or total == 0)
CHECK
}
all_there "$LAB/a.ndjson" >"$LAB/verdict" || fail "on a: $(cat "$LAB/verdict")"
step "on a: $(cat "$LAB/verdict")"

wait_until 60 "a and b to be connected again" connected a b
converged 120 numbers a b
kairan_on b export numbers >"$LAB/b.ndjson"
all_there "$LAB/b.ndjson" >"$LAB/verdict" || fail "on b: $(cat "$LAB/verdict")"
step "on b: $(cat "$LAB/verdict")"
