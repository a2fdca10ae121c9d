#!/usr/bin/env bash
# The cable of one host is unplugged and plugged in twenty times while both sides write. When it stays plugged in, both hosts
# get all writes.
. "$(dirname "$0")/defines.sh"
lab_up 2
start_daemon a
start_daemon b
pair a b
kairan_on a --json zone create notes --container lab >/dev/null
wait_until 30 "the zone on b" digest_on b notes

written=0
for ((round = 1; round <= 20; round++)); do
    unplug b
    kairan_on a --json put notes "a-$round" "text=$round" >/dev/null
    kairan_on b --json put notes "b-$round" "text=$round" >/dev/null
    plug b
    # Some rounds are too short for a new session, others are not.
    kairan_on b --json put notes "shared-$round" from=b >/dev/null
    kairan_on a --json put notes "shared-$round" also=a >/dev/null
    written=$((written + 3))
done
step "unplugged and plugged in twenty times; $written records written"
for host in a b; do wait_until 90 "$written records on $host" has_records "$host" notes "$written"; done
converged 60 notes a b
for host in a b; do
    field_is "$host" notes shared-20 from b || fail "$host lacks b's half of a record that both wrote"
    field_is "$host" notes shared-20 also a || fail "$host lacks a's half of a record that both wrote"
done
daemon_lives a || fail "kairand on a has ended"
daemon_lives b || fail "kairand on b has ended"
