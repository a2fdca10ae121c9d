#!/usr/bin/env bash
# First one link of three is cut: records of one side arrive on the other by way of the third host. Then every host is alone,
# and all three continue to write. After the partition the replicas converge.
. "$(dirname "$0")/defines.sh"
lab_up 3
for host in a b c; do start_daemon "$host"; done
pair a b
pair a c
wait_until 30 "b and c to be connected" connected b c
kairan_on a --json zone create notes --container lab >/dev/null
kairan_on a --json put notes start text=here >/dev/null
converged 30 notes a b c

cut_off a b
kairan_on a --json put notes by-way-of-c text=hello >/dev/null
wait_until 60 "a's record on b, by way of c" field_is b notes by-way-of-c text hello
step "a's record is on b, although the link between the two is cut"

isolate c
numbered_records 1 50 | kairan_on a --json import notes >/dev/null
numbered_records 51 100 | kairan_on b --json import notes >/dev/null
numbered_records 101 150 | kairan_on c --json import notes >/dev/null
for host in a b c; do kairan_on "$host" --json put notes start "by_$host=yes" >/dev/null; done
holds_for 2 "52 records on a" has_records a notes 52
holds_for 1 "52 records on c" has_records c notes 52
step "three islands, each with 50 records of its own"

heal
for host in a b c; do wait_until 90 "152 records on $host" has_records "$host" notes 152; done
converged 60 notes a b c
for host in a b c; do
    for by in a b c; do field_is "$host" notes start "by_$by" yes || fail "$host lacks the change of $by to 'start'"; done
done
step "the record that all three hosts changed has all three changes on each"
