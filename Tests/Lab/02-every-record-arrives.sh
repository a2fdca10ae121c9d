#!/usr/bin/env bash
# The list of packages that this machine has installed goes in at one host; all of it, and the same, is on all three.
# Then a change made on the third is on the first, and a deletion stays deleted.
. "$(dirname "$0")/defines.sh"
lab_up 3
for host in a b c; do start_daemon "$host"; done
pair a b
pair a c
kairan_on a --json zone create packages --container lab >/dev/null

installed_packages >"$LAB/packages.ndjson"
count=$(wc -l <"$LAB/packages.ndjson")
kairan_on a --json import packages <"$LAB/packages.ndjson" >"$LAB/import.json"
[ "$(json 'documents[-1]["saved"]' <"$LAB/import.json")" = "$count" ] || fail "not all of $count packages were saved"
step "imported $count packages on a"

for host in a b c; do wait_until 60 "$count records on $host" has_records "$host" packages "$count"; done
converged 30 packages a b c

# Equal digests could be equally wrong: what comes out of c is what went into a.
kairan_on c export packages >"$LAB/exported.ndjson"
"$PYTHON" - "$LAB/packages.ndjson" "$LAB/exported.ndjson" <<'COMPARE' || fail "c exports something else than a was given"
import json, sys
put, got = ({r["name"]: (r["type"], r["fields"]) for r in map(json.loads, open(path))} for path in sys.argv[1:])
sys.exit(put != got)
COMPARE
step "what c exports is what a was given"

name=$(head -n 1 "$LAB/packages.ndjson" | json 'd["name"]')
kairan_on c --json put packages "$name" note=seen >/dev/null
# On b too, before b deletes it: what a deletion had not seen would survive it, as a conflict.
for host in a b; do wait_until 20 "the note of c on $host" field_is "$host" packages "$name" note seen; done
kairan_on b --json rm packages "$name" >/dev/null
gone() { ! has_record "$1" packages "$name"; }
for host in a b c; do wait_until 20 "the record to be gone on $host" gone "$host"; done
converged 20 packages a b c

# A restart asks every peer again. What was deleted does not come back.
for host in a b c; do stop_daemon "$host"; done
for host in a b c; do start_daemon "$host"; done
wait_until 30 "a and b to be connected again" connected a b
wait_until 30 "a and c to be connected again" connected a c
converged 30 packages a b c
for host in a b c; do gone "$host" || fail "the deleted record came back on $host"; done
step "after three restarts it is still deleted"
