#!/usr/bin/env bash
# The machine that made the account is gone. All that is left of it are 24 words on paper and a second machine, before which
# nobody sits. A third one joins with the words, gets the records, and puts the lost machine out.
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
step "a is gone"

# A line is missing: c says so, and asks nobody.
if tail -n +2 "$LAB/a/paper" | kairan_on c --json account recover >"$LAB/c/wrong.json" 2>"$LAB/c/wrong.log"; then
    fail "20 words were accepted"
fi
grep -q '"recovery.malformed"' "$LAB/c/wrong.log" || fail "20 words: $(cat "$LAB/c/wrong.log")"

kairan_on c --json account recover <"$LAB/a/paper" >"$LAB/c/recovered.json" || fail "c could not recover"
[ "$(json 'd["account"]' <"$LAB/c/recovered.json")" = "$account" ] || fail "c is in another account"
[ "$(json 'd["device"]' <"$LAB/c/recovered.json")" = "$(device_of b)" ] || fail "it was not b that helped"
step "c is in, with the words and b's help"
wait_until 30 "b and c to be connected" connected b c
converged 30 notes b c
wait_until 10 "the lost machine's record on c" field_is c notes before text here

kairan_on c --json device remove "$lost" --yes >/dev/null
two_devices() { [ "$(kairan_on "$1" --json device ls | json 'len(d)')" = 2 ]; }
for host in b c; do wait_until 20 "two devices on $host" two_devices "$host"; done
kairan_on c --json put notes after text=there >/dev/null
wait_until 20 "c's record on b" field_is b notes after text there
step "c has put a out, and writes"
