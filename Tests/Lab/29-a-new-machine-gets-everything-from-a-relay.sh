#!/usr/bin/env bash
# Alice lets a new machine in and switches it off at once; a itself goes off as soon as her relay c knows the new one's keys. b is opened later,
# when c alone is there, and has everything from it: of thousands of writes, many of which c has forgotten since under a checkpoint, what is
# alive and nothing that was deleted, a message with a large part, and what it writes itself is on a when that is back.
. "$(dirname "$0")/defines.sh"
lab_up 3
for host in a b c; do start_daemon "$host"; done
: >"$LAB/a/offer.json"
kairan_on a --json pair offer --role relay-only >"$LAB/a/offer.json" 2>"$LAB/a/log/offer.log" &
wait_until 15 "a ticket from a" eval "json 'd[\"ticket\"]' <'$LAB/a/offer.json'"
kairan_on c --json pair accept "$(json 'd["ticket"]' <"$LAB/a/offer.json")" >/dev/null || fail "c could not accept the ticket"
wait_until 20 "a and c to be connected" connected a c

kairan_on a --json zone create ledger --container lab >/dev/null
# Each record is written twice, so that a checkpoint has something to forget.
for _ in 1 2; do numbered_records 1 6000 | kairan_on a --json import ledger >/dev/null; done
kairan_on a --json put ledger doomed text=canary-doomed >/dev/null
kairan_on a --json rm ledger doomed >/dev/null
wait_until 200 "c to forget what was written over" eval \
    '[ "$(sqlite_on c "SELECT count(*) FROM item WHERE body IS NOT NULL")" -lt 9000 ]'
step "6,001 records, written twice, are on c, which has forgotten half of the writes"

# b may take in what it can before it is switched off: not the ledger, which goes on growing.
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
step "c alone is there"

start_daemon b
# It answers the message, so its digest is soon another one than that of a.
wait_until 60 "the ledger on b" has_record b ledger n-012000
numbers_on b >"$LAB/b.ndjson"
cmp "$LAB/a.ndjson" "$LAB/b.ndjson" || fail "b has another ledger: $(wc -l "$LAB"/[ab].ndjson)"
[ "$(wc -l <"$LAB/b.ndjson")" = 12000 ] || fail "b has $(wc -l <"$LAB/b.ndjson") records"
if has_record b ledger doomed 2>/dev/null; then fail "what was deleted is there again"; fi
waiting() { kairan_on b --json inbox | is "[m['message'] for m in d] == ['$film']"; }
wait_until 60 "the film on b" waiting
kairan_on b message get "$film" -o "$LAB/b/film" >/dev/null || fail "what b has cannot be had"
cmp "$LAB/a/film" "$LAB/b/film" || fail "b has another film"
kairan_on b --json inbox finish "$film" >/dev/null
kairan_on b --json put ledger after text=there >/dev/null
converged 30 ledger b c
stop_daemon b
step "b has all of it from c, and goes off"

start_daemon a
wait_until 30 "what b wrote on a" field_is a ledger after text there
wait_until 30 "Alice to see that it was read" became "$film" read
step "a hears of b from c"
for host in a c; do stop_daemon "$host"; done
if grep -q -r canary- "$(state_of c)"; then fail "c has it on its disk"; fi
step "c has nothing of it that could be read"
