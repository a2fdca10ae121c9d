#!/usr/bin/env bash
# Records are sealed under a key that all readers of a zone have. A revoked account gets no later key; a device that is paired
# later reads all records; and the key can be rotated on request.
. "$(dirname "$0")/defines.sh"
lab_up 3
for host in a b c; do start_daemon "$host"; done
epoch_on() { kairan_on "$1" --json zone show notes | json 'd["epoch"]'; }
writes_under() { [ "$(epoch_on "$1")" = "$2" ]; }

kairan_on a --json zone create notes --container lab >/dev/null
kairan_on a --json put notes milk text=canary-before >/dev/null
first=$(epoch_on a)
[ "$first" != null ] || fail "a writes in clear"
link=$(kairan_on a --json share invite notes --rights write | json 'd["link"]')
kairan_on b --json join "$link" | is 'd["state"] == "joined"' || fail "b has not joined"
wait_until 20 "a's record on b" field_is b notes milk text canary-before
kairan_on b --json put notes bread text=bob >/dev/null
wait_until 20 "b's record on a" field_is a notes bread text bob
pair a c
wait_until 30 "the records on c, which was paired later" field_is c notes milk text canary-before
step "three machines of two accounts read one zone"

rotated=$(kairan_on a --json epoch rotate notes | json 'd["epoch"]')
[ "$rotated" != "$first" ] || fail "the rotation did not change the key"
for host in a b c; do wait_until 30 "the key on $host" writes_under "$host" "$rotated"; done
kairan_on b --json put notes milk text=rotated >/dev/null
for host in a c; do wait_until 20 "b's write on $host" field_is "$host" notes milk text rotated; done
step "the key was rotated, and all continue"

guest=$(kairan_on b --json status | json 'd["account"]')
revoked=$(kairan_on a --json share revoke notes "$guest" | json 'd["epoch"]')
[ "$revoked" != "$rotated" ] && [ "$revoked" != null ] || fail "b was revoked, and the key did not change"
kairan_on a --json put notes milk text=canary-after >/dev/null
wait_until 20 "the write on c" field_is c notes milk text canary-after
writes_under b "$revoked" && fail "b has the key made after its revocation"
if grep -q -r canary-after "$(state_of b)"; then fail "b has a record written after its revocation"; fi
grep -q -r canary-before "$(state_of b)" || fail "the search does not find text that is present, so this test would be void"
step "b, revoked, has neither the key nor the text"

stop_daemon c
start_daemon c
kairan_on c --json put notes milk text=again >/dev/null || fail "c has no key after its restart"
wait_until 20 "c's write on a" field_is a notes milk text again
converged 30 notes a c
step "keys are available after a restart"
