#!/usr/bin/env bash
# An account with two machines joins a zone of another account with two machines by an invitation. Both write, machines that were
# never paired connect to each other, and no other zone is disclosed. Then the right is revoked while they are connected: the
# sessions end within five seconds, and no further records are exchanged.
. "$(dirname "$0")/defines.sh"
lab_up 5
for host in a b c d e; do start_daemon "$host"; done
pair a b
pair c d
kairan_on a --json zone create notes --container lab >/dev/null
kairan_on a --json zone create diary --container lab >/dev/null
kairan_on a --json put diary today text=private >/dev/null
kairan_on a --json put notes milk text=alice >/dev/null
link=$(kairan_on a --json share invite notes --rights write | json 'd["link"]')
kairan_on c --json join "$link" | is 'd["state"] == "joined"' || fail "c has not joined"
step "c has joined by the link"
converged 30 notes a b c d

kairan_on d --json put notes bread text=bob >/dev/null
wait_until 20 "d's record on b" field_is b notes bread text bob
wait_until 30 "b and d to be connected" connected b d
step "b and d were never paired, and are connected: they share a zone"
zones_on() { kairan_on "$1" --json zone ls | json 'sorted(z["name"] for z in d)'; }
[ "$(zones_on c)" = "$(zones_on d)" ] || fail "c and d see different zones"
kairan_on c --json zone ls | is 'all(z["name"] != "diary" for z in d)' || fail "c sees a zone that is not shared"
kairan_on c --json zone show notes | is 'd["database"] == "shared" and d["rights"] == "write"' ||
    fail "c does not see the zone as one that is shared with it"

refused() {
    local code=$1 host=$2
    shift 2
    ! kairan_on "$host" --json "$@" >"$LAB/$host/refusal" 2>&1 && grep -q "\"$code\"" "$LAB/$host/refusal"
}
refused invite.spent e join "$link" || fail "a link for one account admitted a second one: $(cat "$LAB/e/refusal")"
refused invite.own_account b join "$link" || fail "the inviting account joined its own zone: $(cat "$LAB/b/refusal")"
kairan_on d --json share invite notes --rights read >/dev/null 2>&1 && fail "d passed on a right that it may not delegate"
step "the link is spent; a right that may not be delegated is not"

guest=$(kairan_on c --json status | json 'd["account"]')
kairan_on a --json share revoke notes "$guest" >/dev/null
revoked=${EPOCHREALTIME/[.,]/}
apart() { ! connected "$1" "$2"; }
for pair in "a c" "a d" "b c" "b d"; do
    # shellcheck disable=SC2086
    wait_until 10 "no session between ${pair/ / and }" apart $pair
done
took=$(((${EPOCHREALTIME/[.,]/} - revoked) / 1000))
step "from the revocation to the end of the last of four sessions: $took ms"
# The daemons have five seconds; the eight queries on two cores take some time of their own.
((took < 8000)) || fail "sessions continued for $took ms"
kairan_on a --json put notes after text=secret >/dev/null
kairan_on c --json put notes late text=late >/dev/null 2>&1 && fail "c writes under a revoked right"
lacks() { ! has_record "$1" notes "$2"; }
holds_for 3 "c does not have the record written afterwards" lacks c after
holds_for 1 "d does not have the record written afterwards" lacks d after
field_is c notes bread text bob || fail "c has lost an earlier record"
converged 20 notes a b
