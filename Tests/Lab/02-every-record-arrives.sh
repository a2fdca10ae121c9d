#!/usr/bin/env bash
# The list of this machine's installed packages is imported on one host, and arrives complete and unchanged on all three.
# Then a change made on the third arrives on the first, and a deleted record stays deleted.
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

# Equal digests do not show that the data are right: the records exported on c must equal those imported on a.
kairan_on c export packages >"$LAB/exported.ndjson"
"$PYTHON" - "$LAB/packages.ndjson" "$LAB/exported.ndjson" <<'COMPARE' || fail "the records exported on c differ from those imported on a"
import json, sys
put, got = ({r["name"]: (r["type"], r["fields"]) for r in map(json.loads, open(path))} for path in sys.argv[1:])
sys.exit(put != got)
COMPARE
step "the records exported on c equal those imported on a"

name=$(head -n 1 "$LAB/packages.ndjson" | json 'd["name"]')
kairan_on c --json put packages "$name" note=seen >/dev/null
# The note must be on b before b deletes the record: a change that the deletion had not seen would survive as a conflict.
for host in a b; do wait_until 20 "the note of c on $host" field_is "$host" packages "$name" note seen; done
kairan_on b --json rm packages "$name" >/dev/null
gone() { ! has_record "$1" packages "$name"; }
for host in a b c; do wait_until 20 "the record to be gone on $host" gone "$host"; done
converged 20 packages a b c

# After a restart every peer is compared with again. The deleted record does not come back.
for host in a b c; do stop_daemon "$host"; done
for host in a b c; do start_daemon "$host"; done
wait_until 30 "a and b to be connected again" connected a b
wait_until 30 "a and c to be connected again" connected a c
converged 30 packages a b c
for host in a b c; do gone "$host" || fail "the deleted record came back on $host"; done
step "after three restarts the record is still deleted"
