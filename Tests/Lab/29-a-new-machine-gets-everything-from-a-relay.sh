#!/usr/bin/env bash
# Alice pairs a new machine, b, and switches it off at once; a itself is switched off as soon as her relay c knows the keys of b. Later b starts
# while only c is on, and gets everything from c: the live records of thousands of writes, many of which c has pruned under a checkpoint, no
# deleted record, and a message with a large payload. A record that b writes is on a when a is back.
. "$(dirname "$0")/defines.sh"
lab_up 3
for host in a b c; do start_daemon "$host"; done
: >"$LAB/a/offer.json"
kairan_on a --json pair offer --role relay-only >"$LAB/a/offer.json" 2>"$LAB/a/log/offer.log" &
wait_until 15 "a ticket from a" eval "json 'd[\"ticket\"]' <'$LAB/a/offer.json'"
kairan_on c --json pair accept "$(json 'd["ticket"]' <"$LAB/a/offer.json")" >/dev/null || fail "c could not accept the ticket"
wait_until 20 "a and c to be connected" connected a c

kairan_on a --json zone create ledger --container lab >/dev/null
# Each record is written twice, so that a checkpoint prunes operations.
for _ in 1 2; do numbered_records 1 6000 | kairan_on a --json import ledger >/dev/null; done
kairan_on a --json put ledger doomed text=canary-doomed >/dev/null
kairan_on a --json rm ledger doomed >/dev/null
wait_until 200 "c to prune overwritten operations" eval \
    '[ "$(sqlite_on c "SELECT count(*) FROM item WHERE body IS NOT NULL")" -lt 9000 ]'
step "6,001 records, written twice, are on c, which has pruned half of the writes"

# b may fetch some data before it is switched off, but not the whole ledger, which still grows.
numbered_records 6001 12000 | kairan_on a --json import ledger >/dev/null
pair a b
kill_daemon b
"$PYTHON" -c 'import random; random.seed(29); open("'"$LAB"'/a/film", "wb").write(b"canary-film" + random.randbytes(3_000_000))'
film=$(kairan_on a --json send ledger --file "$LAB/a/film" | json 'd["message"]')
became() { kairan_on a --json message show "$1" | is "[r['state'] for r in d['deliveries']] == ['$2']"; }
wait_until 60 "the film to be relayed" became "$film" relayed
converged 60 ledger a c
numbers_on() { kairan_on "$1" export ledger | grep '"Number"'; }
numbers_on a >"$LAB/a.ndjson"
stop_daemon a
step "only c is on"

start_daemon b
# b writes a receipt for the message, so its digest soon differs from that of a.
wait_until 60 "the ledger on b" has_record b ledger n-012000
numbers_on b >"$LAB/b.ndjson"
cmp "$LAB/a.ndjson" "$LAB/b.ndjson" || fail "b has another ledger: $(wc -l "$LAB"/[ab].ndjson)"
[ "$(wc -l <"$LAB/b.ndjson")" = 12000 ] || fail "b has $(wc -l <"$LAB/b.ndjson") records"
if has_record b ledger doomed 2>/dev/null; then fail "a deleted record is present"; fi
waiting() { kairan_on b --json inbox | is "[m['message'] for m in d] == ['$film']"; }
wait_until 60 "the film on b" waiting
kairan_on b message get "$film" -o "$LAB/b/film" >/dev/null || fail "the film cannot be downloaded on b"
cmp "$LAB/a/film" "$LAB/b/film" || fail "b has another film"
kairan_on b --json inbox finish "$film" >/dev/null
kairan_on b --json put ledger after text=there >/dev/null
converged 30 ledger b c
stop_daemon b
step "b has everything from c, and is switched off"

start_daemon a
wait_until 30 "b's record on a" field_is a ledger after text there
wait_until 30 "Alice to see that the film was read" became "$film" read
step "a has b's writes from c"
for host in a c; do stop_daemon "$host"; done
if grep -q -r canary- "$(state_of c)"; then fail "c has text of the records on its disk"; fi
step "c has no readable text of the records"
