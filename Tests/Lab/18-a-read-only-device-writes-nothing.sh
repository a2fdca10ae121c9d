#!/usr/bin/env bash
# b is paired as a read-only device. It gets the records of a, its own writes are refused with a reason, and it cannot pair other
# devices. c, which has a zone of its own, refuses the role, and loses nothing.
. "$(dirname "$0")/defines.sh"
lab_up 3
for host in a b c; do start_daemon "$host"; done
kairan_on c --json zone create own --container lab >/dev/null
kairan_on c --json put own one text=mine >/dev/null

# offer ROLE: leaves the ticket in $ticket; the offer waits in the background.
offer() {
    : >"$LAB/a/offer.json"
    kairan_on a --json pair offer --role "$1" >"$LAB/a/offer.json" 2>"$LAB/a/log/offer.log" &
    wait_until 15 "a ticket from a" eval "json 'd[\"ticket\"]' <'$LAB/a/offer.json'"
    ticket=$(json 'd["ticket"]' <"$LAB/a/offer.json")
}

offer read-only
if kairan_on c --json pair accept "$ticket" >/dev/null 2>"$LAB/c/refused.log"; then fail "c gave up its zone"; fi
grep -q '"device.has_zones"' "$LAB/c/refused.log" || fail "c: $(cat "$LAB/c/refused.log")"
field_is c own one text mine || fail "c lost its record"
[ "$(kairan_on a --json device ls | json 'len(d)')" = 1 ] || fail "c was added although it refused"
step "c keeps its zone"

kairan_on b --json pair accept "$ticket" >/dev/null || fail "b could not accept the ticket"
wait_until 20 "a and b to be connected" connected a b
kairan_on a --json zone create notes --container lab >/dev/null
kairan_on a --json put notes one text=here >/dev/null
converged 30 notes a b
for host in a b; do
    [ "$(kairan_on "$host" --json device ls | json '[x["role"] for x in d]')" = '["full", "read_only"]' ] ||
        fail "$host shows different roles"
done

refused() { # refused CODE ARGUMENTS…: b refuses with this code
    local code=$1
    shift
    if kairan_on b --json "$@" >/dev/null 2>"$LAB/b/refused.log"; then fail "b did: $*"; fi
    grep -q "\"$code\"" "$LAB/b/refused.log" || fail "b: $*: $(cat "$LAB/b/refused.log")"
}
refused device.read_only put notes two text=there
refused device.read_only rm notes one
refused device.read_only zone create other --container lab
refused forbidden pair offer
refused forbidden account enrolment-token
step "b is refused actions that its role does not permit"

kairan_on a --json put notes two text=later >/dev/null
wait_until 20 "a's next record on b" field_is b notes two text later
converged 20 notes a b
