#!/usr/bin/env bash
# A state directory is restored from an older copy, which could assign counters twice and fork the replica permanently.
# The daemon notices, continues under a new incarnation, and no write is lost: neither those before the copy, nor those
# between copy and restore, nor those after it.
. "$(dirname "$0")/defines.sh"
lab_up 2
start_daemon a
start_daemon b
pair a b
kairan_on a --json zone create notes --container lab >/dev/null
wait_until 30 "the zone on b" digest_on b notes
numbered_records 1 20 | kairan_on b --json import notes >/dev/null
converged 30 notes a b
before=$(kairan_on b --json status | json 'd["incarnation"]')

stop_daemon b
cp -a "$(state_of b)" "$LAB/b/copy"
step "copied the state of b"

start_daemon b
numbered_records 21 40 | kairan_on b --json import notes >/dev/null
for host in a b; do wait_until 30 "40 records on $host" has_records "$host" notes 40; done
converged 30 notes a b
[ "$(kairan_on b --json status | json 'd["incarnation"]')" = "$before" ] || fail "a plain restart changed the incarnation"
kill_daemon b

rm -rf "$(state_of b)"
cp -a "$LAB/b/copy" "$(state_of b)"
step "restored the copy: b has 20 of its 40 records"
START_SECONDS=60 start_daemon b
# Written at once, with a store that still lacks the later writes of its previous incarnation.
numbered_records 41 60 | kairan_on b --json import notes >/dev/null

for host in a b; do wait_until 60 "60 records on $host" has_records "$host" notes 60; done
converged 60 notes a b
after=$(kairan_on b --json status | json 'd["incarnation"]')
[ "$after" != "$before" ] || fail "b still runs as incarnation $before"
step "60 records on both; incarnation $(cut -c1-8 <<<"$before") became $(cut -c1-8 <<<"$after")"

no_forks() { kairan_on "$1" --json status | is 'not any("fork" in h["code"] for h in d["health"])'; }
for host in a b; do no_forks "$host" || fail "$host reports a fork"; done

# A further restart keeps the incarnation.
stop_daemon b
start_daemon b
[ "$(kairan_on b --json status | json 'd["incarnation"]')" = "$after" ] || fail "the next restart changed the incarnation again"
kairan_on a --json put notes last text=hello >/dev/null
wait_until 30 "a's record on b" field_is b notes last text hello
converged 20 notes a b
