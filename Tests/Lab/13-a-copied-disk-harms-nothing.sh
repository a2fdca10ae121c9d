#!/usr/bin/env bash
# A state directory is copied to another machine, as by cloning a disk, and both copies are used, one after the
# other. Each write is kept, and the two never use the same incarnation.
. "$(dirname "$0")/defines.sh"
lab_up 3
start_daemon a
start_daemon b
pair a b
kairan_on a --json zone create notes --container lab >/dev/null
wait_until 30 "the zone on b" digest_on b notes
numbered_records 1 10 | kairan_on b --json import notes >/dev/null
converged 30 notes a b
incarnation_of() { kairan_on "$1" --json status | json 'd["incarnation"]'; }
original=$(incarnation_of b)

stop_daemon b
cp -a "$(state_of b)" "$(state_of c)"
step "c starts from a copy of b's state, on a machine with another machine-id"
START_SECONDS=60 start_daemon c
copied=$(incarnation_of c)
[ "$copied" != "$original" ] || fail "the copy continues as incarnation $original"
numbered_records 11 20 | kairan_on c --json import notes >/dev/null
for host in a c; do wait_until 60 "20 records on $host" has_records "$host" notes 20; done
converged 60 notes a c
stop_daemon c

step "the original is switched on again"
START_SECONDS=60 start_daemon b
[ "$(incarnation_of b)" = "$original" ] || fail "the original changed its incarnation without a reason"
numbered_records 21 30 | kairan_on b --json import notes >/dev/null
for host in a b; do wait_until 60 "30 records on $host" has_records "$host" notes 30; done
converged 60 notes a b
