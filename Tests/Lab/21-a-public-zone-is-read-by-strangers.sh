#!/usr/bin/env bash
# A zone is made public. A machine of an unknown account opens it by its link, finds its members by mDNS, and reads its
# changes. It learns nothing of other zones, and its writes are refused until all accounts may create records: then a
# member writes for it. In the end the zone is private again.
. "$(dirname "$0")/defines.sh"
lab_up 3
for host in a b c; do start_daemon "$host"; done
pair a b
kairan_on a --json zone create news --container lab >/dev/null
kairan_on a --json zone create diary --container lab >/dev/null
kairan_on a --json put diary today text=private >/dev/null
kairan_on a --json put news one text=first >/dev/null
kairan_on a --json share public news | is 'd["link"] is None' || fail "a zone that is not public has a link"
link=$(kairan_on a --json share public news --world read | json 'd["link"]')
step "public: ${link:0:40}…"

# Only b answers: any member serves guests.
converged 20 news a b
everybody_may() { kairan_on "$1" --json zone show news | is "'$2' in d['public']['world']"; }
wait_until 20 "b to learn that all accounts may read" everybody_may b read
unplug a
kairan_on c --json join "$link" | is 'd["state"] == "joined"' || fail "c did not open the zone"
wait_until 30 "the record on c, from b" field_is c news one text first
plug a
step "c reads it without a right of its own"
kairan_on a --json put news one text=second >/dev/null
wait_until 30 "the change on c" field_is c news one text second
converged 30 news a b c
kairan_on c --json zone show news | is 'd["database"] == "public"' || fail "c does not see the zone as a public one"
kairan_on c --json zone ls | is 'all(z["name"] != "diary" for z in d)' || fail "c sees a zone that is not public"
kairan_on a --json share ls news | is 'not d["participants"] and not d["waits_for"]' ||
    fail "a guest that only reads is listed as a participant"
kairan_on c --json put news two text=mine >/dev/null 2>&1 && fail "c writes without a right"

kairan_on a --json share public news --world read,create --creator write >/dev/null
for host in b c; do wait_until 30 "$host to learn that all accounts may create" everybody_may "$host" create; done
kairan_on c --json put news two text=mine >/dev/null || fail "c could not make a record"
for host in a b c; do wait_until 30 "c's record on $host" field_is "$host" news two text mine; done
kairan_on c --json put news two text=changed >/dev/null || fail "c could not change its own record"
kairan_on c --json put news one text=theirs >/dev/null 2>&1 && fail "c changed a record of another account"
for host in a b c; do wait_until 30 "c's change on $host" field_is "$host" news two text changed; done
kairan_on a --json get news two | is "d['created_by'] == '$(device_of c)'" || fail "c is not named as the record's creator"
converged 30 news a b c
step "a member writes for c what the public right permits"

kairan_on a --json share public news --off >/dev/null
kairan_on a --json put news one text=secret >/dev/null
apart() { ! connected "$1" "$2"; }
for host in a b; do wait_until 10 "no session between $host and c" apart "$host" c; done
reads_second() { field_is c news one text second; }
holds_for 5 "c keeps its records, and gets no further ones" reads_second
step "the zone is private again: c gets no change"
kairan_on c --json leave news --yes >/dev/null
kairan_on c --json zone ls | is 'd == []' || fail "c still lists the zone"
converged 20 news a b
