#!/usr/bin/env bash
# b is a relay-only device of a's account. It passes a's records on to c, which is never connected to a, and has nothing readable of
# them: not on its disk, not in its memory, and not on the wire.
. "$(dirname "$0")/defines.sh"
lab_up 3
for host in a b c; do start_daemon "$host"; done

: >"$LAB/a/offer.json"
kairan_on a --json pair offer --role relay-only >"$LAB/a/offer.json" 2>"$LAB/a/log/offer.log" &
wait_until 15 "a ticket from a" eval "json 'd[\"ticket\"]' <'$LAB/a/offer.json'"
kairan_on b --json pair accept "$(json 'd["ticket"]' <"$LAB/a/offer.json")" >/dev/null || fail "b could not accept the ticket"
wait_until 20 "a and b to be connected" connected a b
pair a c
wait_until 20 "b and c to be connected" connected b c
stop_daemon c
step "b stores for a and c"

listen_to_the_wire
kairan_on a --json zone create notes --container lab --history fromJoin >/dev/null
kairan_on a --json put notes canary-name text=canary-field >/dev/null
kairan_on a --json send notes "canary-message" >/dev/null
for number in {1..50}; do kairan_on a --json put notes "canary-name-$number" text="canary-field $number" >/dev/null; done
converged 30 notes a b
stop_daemon a
step "b holds the records of a, and a is off"

start_daemon c
wait_until 30 "a's first record on c" field_is c notes canary-name text canary-field
wait_until 30 "a's last record on c" field_is c notes canary-name-50 text "canary-field 50"
kairan_on c --json inbox --wait | is "[m['text'] for m in d] == ['canary-message']" || fail "c received another message"
step "c has all records from b"

# Prints how many places of a daemon's memory contain text of the records.
memory_says() {
    "$PYTHON" -c '
import sys
said, memory = 0, open(f"/proc/{sys.argv[1]}/mem", "rb", buffering=0)
for line in open(f"/proc/{sys.argv[1]}/maps"):
    place, rights = line.split()[:2]
    begin, end = (int(side, 16) for side in place.split("-"))
    if not rights.startswith("rw") or line.rstrip().endswith(("[vvar]", "[vsyscall]")):
        continue
    memory.seek(begin)
    rest = b""
    while begin < end:
        piece = memory.read(min(end - begin, 1 << 20))
        if not piece:
            break
        said += (rest + piece).count(b"canary-")
        rest, begin = piece[-6:], begin + len(piece)
print(said)
' "$(child_of "${DAEMON[$1]}")"
}
for host in c b; do memory_says "$host" >"$LAB/$host/memory" || fail "the memory of $host cannot be read"; done
[ "$(cat "$LAB/c/memory")" -gt 0 ] || fail "the search does not find text in the memory of c, so this test would be void"
[ "$(cat "$LAB/b/memory")" = 0 ] || fail "b has text of the records at $(cat "$LAB/b/memory") places of its memory"
for host in b c; do stop_daemon "$host"; done
if grep -q -r canary- "$(state_of b)"; then fail "b has text of the records on its disk: $(grep -r -c canary- "$(state_of b)")"; fi
grep -q -r canary- "$(state_of c)" || fail "the search does not find text on the disk of c, so this test would be void"
nothing_on_the_wire 'canary-[a-z]*'
step "neither b nor the wire has readable text of the records"
