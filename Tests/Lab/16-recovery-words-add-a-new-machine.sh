#!/usr/bin/env bash
# The machine that made the account is lost. There remain the 24 recovery words and a second, unattended machine. A third
# machine joins with the words, gets the records, and removes the lost machine.
. "$(dirname "$0")/defines.sh"
lab_up 3
for host in a b c; do start_daemon "$host"; done
kairan_on a account recovery-key >"$LAB/a/paper"
pair a b
kairan_on a --json zone create notes --container lab >/dev/null
kairan_on a --json put notes before text=here >/dev/null
converged 30 notes a b
lost=$(device_of a)
account=$(kairan_on a --json status | json 'd["account"]')
kill_daemon a
step "a is lost"

# A line is missing: c reports that without calling another device.
if tail -n +2 "$LAB/a/paper" | kairan_on c --json account recover >"$LAB/c/wrong.json" 2>"$LAB/c/wrong.log"; then
    fail "20 words were accepted"
fi
grep -q '"recovery.malformed"' "$LAB/c/wrong.log" || fail "20 words: $(cat "$LAB/c/wrong.log")"

kairan_on c --json account recover <"$LAB/a/paper" >"$LAB/c/recovered.json" || fail "c could not recover"
[ "$(json 'd["account"]' <"$LAB/c/recovered.json")" = "$account" ] || fail "c is in another account"
[ "$(json 'd["device"]' <"$LAB/c/recovered.json")" = "$(device_of b)" ] || fail "the helping device was not b"
step "c has joined with the words and b's help"
wait_until 30 "b and c to be connected" connected b c
converged 30 notes b c
wait_until 10 "the lost machine's record on c" field_is c notes before text here

kairan_on c --json device remove "$lost" --yes >/dev/null
two_devices() { [ "$(kairan_on "$1" --json device ls | json 'len(d)')" = 2 ]; }
for host in b c; do wait_until 20 "two devices on $host" two_devices "$host"; done
kairan_on c --json put notes after text=there >/dev/null
wait_until 20 "c's record on b" field_is b notes after text there
step "c has removed a, and writes"
