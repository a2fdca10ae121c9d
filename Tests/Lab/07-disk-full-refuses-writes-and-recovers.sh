#!/usr/bin/env bash
# The disk under one state directory fills up. The daemon stays alive, answers reads, and refuses writes with the reason.
# When there is space again, it recovers by itself, and has every acknowledged record.
. "$(dirname "$0")/defines.sh"
lab_up 2
mkdir -p "$(state_of b)"
on b mount -t tmpfs -o size=256m,mode=700 tmpfs "$(state_of b)"
start_daemon a
start_daemon b
pair a b
kairan_on a --json zone create notes --container lab >/dev/null
kairan_on a --json put notes first text=1 >/dev/null
converged 30 notes a b

# Ballast fills the disk. SQLite can still fill the pages that it has allocated, so a few more writes are accepted.
fill() { on b sh -c "cat /dev/zero >>'$(state_of b)/ballast' 2>/dev/null; true"; }
free_again() { on b rm -f "$(state_of b)/ballast"; }
fill
text=$(printf 'x%.0s' {1..20000})
acknowledged=0 refused=0
for ((i = 1; i <= 200; i++)); do
    code=0
    kairan_on b --json put notes "fill-$i" "text=$text" >"$LAB/put.json" 2>"$LAB/problem.json" || code=$?
    if [ "$code" = 0 ]; then
        acknowledged=$i
        fill
    else
        refused=1
        break
    fi
done
[ "$refused" = 1 ] || fail "$acknowledged writes of 20 kB were acknowledged on a full disk"
[ "$code" = 1 ] || [ "$code" = 75 ] || fail "the refused write ended with exit code $code, not 1 or 75"
is '"code" in d and "detail" in d' <"$LAB/problem.json" || fail "no problem document: $(cat "$LAB/problem.json")"
step "after $acknowledged more writes: refused with $(json 'd["code"]' <"$LAB/problem.json")"

daemon_lives b || fail "kairand ended when the disk was full"
field_is b notes first text 1 || fail "b does not answer reads"
disk_is_named() { kairan_on b --json status | is 'any("disk" in h["code"] or "full" in h["code"] for h in d["health"])'; }
wait_until 20 "the health list of b to name the disk" disk_is_named
step "b still answers reads, and its health list names the cause"

# A peer's records cannot be stored now, but they are not lost.
numbered_records 1 300 | kairan_on a --json import notes >/dev/null
holds_for 2 "kairand on b stays alive while a has new records for it" daemon_lives b

free_again
# The daemon notices free space by itself; this retries until it has.
wait_until 60 "b to accept writes again" kairan_on b --json put notes again text=2
for host in a b; do wait_until 90 "all records on $host" has_records "$host" notes $((302 + acknowledged)); done
converged 60 notes a b
disk_is_fine() { ! disk_is_named; }
wait_until 60 "the health list of b not to name the disk" disk_is_fine
step "with free space again: both hosts have all records"

# A daemon that is killed while the disk is full starts again.
fill
kill_daemon b
free_again
start_daemon b
wait_until 30 "a and b to be connected again" connected a b
converged 30 notes a b
