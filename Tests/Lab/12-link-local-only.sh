#!/usr/bin/env bash
# A bare cable: no DHCP, no router, no IPv4. The hosts have fe80:: addresses, which are valid only together with an
# interface. Pairing and sync work.
. "$(dirname "$0")/defines.sh"
export LAB_ADDRESSES=link-local
lab_up 2
if on a ip -4 address show dev lan0 | grep -q inet; then fail "a has an IPv4 address, so this test would be void"; fi
start_daemon a
start_daemon b
pair a b
kairan_on a --json zone create notes --container lab >/dev/null
kairan_on a --json put notes one text=1 >/dev/null
wait_until 30 "a's record on b" field_is b notes one text 1
kairan_on b --json put notes two text=2 >/dev/null
wait_until 30 "b's record on a" field_is a notes two text 2
converged 20 notes a b

over_link_local() { kairan_on "$1" --json peers | is 'any(p["state"] == "connected" and "fe80:" in p["address"] for p in d)'; }
over_link_local a || over_link_local b || fail "neither shows a link-local address for the other"
step "connected over a link-local address"

# The cable is unplugged and plugged in again.
unplug b
kairan_on a --json put notes three text=3 >/dev/null
plug b
wait_until 90 "the record written meanwhile" field_is b notes three text 3
converged 20 notes a b
