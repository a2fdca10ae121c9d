#!/usr/bin/env bash
# A device is removed from the account. Later writes do not reach it, and its own writes reach no other device, also after
# all daemons have been restarted.
. "$(dirname "$0")/defines.sh"
lab_up 3
for host in a b c; do start_daemon "$host"; done
pair a b
pair a c
kairan_on a --json zone create notes --container lab >/dev/null
wait_until 30 "the zone on c" digest_on c notes
kairan_on c --json put notes before text=here >/dev/null
converged 30 notes a b c

removed=$(device_of c)
kairan_on a --json device remove "$removed" --yes >/dev/null
step "a removed c"
not_connected() { ! connected_to_device "$1" "$removed"; }
connected_to_device() { kairan_on "$1" --json peers | is "any(p['device'] == '$2' and p['state'] == 'connected' for p in d)"; }
for host in a b; do wait_until 30 "$host to have no session with c" not_connected "$host"; done
# b learned of the removal from a, by the account's log.
not_listed() { kairan_on "$1" --json device ls | is "all(x['device'] != '$removed' or x.get('status') == 'removed' for x in d)"; }
for host in a b; do wait_until 20 "$host not to list c" not_listed "$host"; done
step "neither a nor b has a session with it"

kairan_on a --json put notes after text=secret >/dev/null
wait_until 20 "the new record on b" field_is b notes after text secret
# c may refuse to write for an account that it does not belong to; if it does write, the others ignore it.
kairan_on c --json put notes from-c text=unwanted >/dev/null 2>&1 || true

lacks() { ! has_record "$1" notes "$2"; }
holds_for 3 "c does not have the record written after its removal" lacks c after
holds_for 1 "a does not apply the write of c" lacks a from-c

for host in a b c; do stop_daemon "$host"; done
for host in a b c; do start_daemon "$host"; done
wait_until 30 "a and b to be connected again" connected a b
kairan_on b --json put notes later text=secret >/dev/null
wait_until 20 "b's record on a" field_is a notes later text secret
holds_for 3 "c gets no record after the restarts" lacks c later
lacks c after || fail "c got a record written after its removal"
for host in a b; do
    lacks "$host" from-c || fail "$host applied a record that c wrote after its removal"
    field_is "$host" notes before text here || fail "$host lost a record that c wrote before its removal"
done
converged 20 notes a b
step "records that c wrote before its removal are kept; later ones are not exchanged"
