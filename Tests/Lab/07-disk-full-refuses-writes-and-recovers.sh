#!/usr/bin/env bash
# The disk under one state directory fills up. The daemon stays alive, goes on reading, says no to writes, and says
# why. When there is room again it goes on by itself; what it had acknowledged is all there.
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

# Ballast takes all the room there is. What SQLite already holds can still be filled, so it takes a few writes more.
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
[ "$code" = 1 ] || [ "$code" = 75 ] || fail "the refusal came with exit code $code, not 1 or 75"
is '"code" in d and "detail" in d' <"$LAB/problem.json" || fail "no problem document: $(cat "$LAB/problem.json")"
step "after $acknowledged writes more: refused with $(json 'd["code"]' <"$LAB/problem.json")"

daemon_lives b || fail "kairand ended when the disk was full"
field_is b notes first text 1 || fail "b does not read any more"
disk_is_named() { kairan_on b --json status | is 'any("disk" in h["code"] or "full" in h["code"] for h in d["health"])'; }
wait_until 20 "the health list of b to name the disk" disk_is_named
step "it still reads, and its health list says why"

# A peer's records cannot be taken now; they are not lost either.
numbered_records 1 300 | kairan_on a --json import notes >/dev/null
holds_for 2 "kairand on b lives on while a has news for it" daemon_lives b

free_again
# The daemon finds out by itself; this asks until it does.
wait_until 60 "b to take writes again" kairan_on b --json put notes again text=2
for host in a b; do wait_until 90 "all records on $host" has_records "$host" notes $((302 + acknowledged)); done
converged 60 notes a b
disk_is_fine() { ! disk_is_named; }
wait_until 60 "the health list of b to be quiet about the disk" disk_is_fine
step "room again: everything is on both"

# The same from the other side: killed while the disk is full, it starts again.
fill
kill_daemon b
free_again
start_daemon b
wait_until 30 "a and b to be connected again" connected a b
converged 30 notes a b
