#!/usr/bin/env bash
# b is of a's account and only stores. It brings what a wrote to c, which never meets a, and has none of it that could be read: not on
# its disk, not in its memory, not in what it sends, and not on the wire.
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
step "b holds what a wrote, and a is off"

start_daemon c
wait_until 30 "a's first record on c" field_is c notes canary-name text canary-field
wait_until 30 "a's last record on c" field_is c notes canary-name-50 text "canary-field 50"
kairan_on c --json inbox --wait | is "[m['text'] for m in d] == ['canary-message']" || fail "c was handed another message"
step "c has it all from b"

# Prints how many places of a daemon's memory say something that was written.
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
[ "$(cat "$LAB/c/memory")" -gt 0 ] || fail "a test that cannot find what is there finds nothing"
[ "$(cat "$LAB/b/memory")" = 0 ] || fail "b has $(cat "$LAB/b/memory") words of it in its memory"
for host in b c; do stop_daemon "$host"; done
if grep -q -r canary- "$(state_of b)"; then fail "b has it on its disk: $(grep -r -c canary- "$(state_of b)")"; fi
grep -q -r canary- "$(state_of c)" || fail "a test that cannot find what is there finds nothing"
nothing_on_the_wire 'canary-[a-z]*'
step "b has nothing of it that could be read, and the wire said nothing"
