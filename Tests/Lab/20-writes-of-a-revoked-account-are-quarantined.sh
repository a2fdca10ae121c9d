#!/usr/bin/env bash
# The right of an account is revoked while its machine is disconnected and continues to write, with its clock turned back. When it
# reconnects, its late writes are applied nowhere and are quarantined on the owner's machines, which adopt one and purge the rest.
. "$(dirname "$0")/defines.sh"
lab_up 4
for host in a b c d; do start_daemon "$host"; done
pair a b
kairan_on a --json zone create notes --container lab >/dev/null
kairan_on a --json put notes milk text=alice >/dev/null
join_with() {
    local link
    link=$(kairan_on a --json share invite notes --rights "$2" | json 'd["link"]')
    kairan_on "$1" --json join "$link" | is 'd["state"] == "joined"' || fail "$1 has not joined"
}
join_with c write
join_with d read
converged 30 notes a b c d
kairan_on c --json put notes milk text=bob >/dev/null
for host in a b d; do wait_until 20 "c's write on $host" field_is "$host" notes milk text bob; done
kairan_on d --json put notes milk text=reader >/dev/null 2>&1 && fail "d writes, although it may only read"

isolate c
guest=$(kairan_on c --json status | json 'd["account"]')
kairan_on a --json share revoke notes "$guest" --reason "moved out" >/dev/null
kairan_on c --json put notes milk text=late >/dev/null
for number in 1 2 3; do kairan_on c --json put notes "late-$number" text=late >/dev/null; done
step "a has revoked the right of c's account; c, disconnected, continues to write"
heal

waiting() { [ "$(kairan_on "$1" --json quarantine ls notes | json 'len(d)')" = "$2" ]; }
for host in a b; do wait_until 60 "four writes in quarantine on $host" waiting "$host" 4; done
for host in a b d; do field_is "$host" notes milk text bob || fail "$host applied a late write"; done
has_record a notes late-1 && fail "a applied a late write"
converged 30 notes a b d
step "the late writes are applied nowhere, and are in quarantine on both of the owner's machines"

id_of() { kairan_on a --json quarantine ls notes | json "[q['id'] for q in d if q['record'] == '$1'][0]"; }
kairan_on a --json quarantine adopt "$(id_of late-2)" --zone notes >/dev/null
for host in a b d; do wait_until 30 "the adopted record on $host" field_is "$host" notes late-2 text late; done
purge_all() {
    local id
    for id in $(kairan_on "$1" --json quarantine ls notes | json '" ".join(q["id"] for q in d)'); do
        kairan_on "$1" --json quarantine purge "$id" --zone notes --yes >/dev/null || return 1
    done
    waiting "$1" 0
}
for host in a b; do wait_until 20 "$host to have purged the rest" purge_all "$host"; done
converged 30 notes a b d
has_record a notes late-1 && fail "a purged record is present"
step "one write is adopted, the rest is purged"
