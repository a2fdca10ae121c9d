#!/usr/bin/env bash
# Alice on a sends Bob on b, who is off, a line and a file of 200 MB, and switches off. c, a relay of hers, is killed while it fetches the file.
# Bob gets both from c, once; Alice comes back when he is off again, and learns from c that he has read them. c can read nothing of it.
. "$(dirname "$0")/defines.sh"
lab_up 3
for host in a b c; do start_daemon "$host"; done
: >"$LAB/a/offer.json"
kairan_on a --json pair offer --role relay-only >"$LAB/a/offer.json" 2>"$LAB/a/log/offer.log" &
wait_until 15 "a ticket from a" eval "json 'd[\"ticket\"]' <'$LAB/a/offer.json'"
kairan_on c --json pair accept "$(json 'd["ticket"]' <"$LAB/a/offer.json")" >/dev/null || fail "c could not accept the ticket"
wait_until 20 "a and c to be connected" connected a c

kairan_on a --json zone create chat --container lab --history fromJoin >/dev/null
link=$(kairan_on a --json share invite chat --rights write | json 'd["link"]')
kairan_on b --json join "$link" | is 'd["state"] == "joined"' || fail "b has not joined"
wait_until 20 "the zone on b" kairan_on b --json zone show chat
wait_until 30 "b and c to be connected" connected b c
kairan_on a --json put chat before text=before >/dev/null
converged 30 chat a c
stop_daemon b
step "Bob is off"

listen_to_the_wire
"$PYTHON" -c '
import random
random.seed(28)
with open("'"$LAB"'/a/film", "wb") as film:
    for _ in range(200):
        film.write(b"canary-film" + random.randbytes(1_000_000 - 11))
'
line=$(kairan_on a --json send chat "canary-line" | json 'd["message"]')
film=$(kairan_on a --json send chat --file "$LAB/a/film" --content-type video/mp4 | json 'd["message"]')
became() { kairan_on a --json message show "$1" | is "[r['state'] for r in d['deliveries']] == ['$2']"; }
wait_until 10 "the line to be relayed" became "$line" relayed
became "$film" queued || fail "a film that no device has is shown as $(kairan_on a --json message show "$film")"
# The relay requests the film after a delay; the kill comes in the middle of the transfer.
fetched() { [ "$(sqlite_on c 'SELECT count(*) FROM chunk WHERE held IS NOT NULL')" -ge "$1" ]; }
wait_until 40 "a part of the film on c" fetched 40
became "$film" queued || fail "c has acknowledged a film that it did not have"
kill_daemon c
start_daemon c
wait_until 60 "the film to be relayed" became "$film" relayed
stop_daemon a
step "c keeps the messages for him, and Alice is off"

start_daemon b
waiting_on() { kairan_on "$1" --json inbox | is "sorted(m['message'] for m in d) == sorted(['$line', '$film'])"; }
wait_until 90 "both on b" waiting_on b
kairan_on b message get "$film" -o "$LAB/b/film" >/dev/null || fail "the film cannot be downloaded on b"
cmp "$LAB/a/film" "$LAB/b/film" || fail "b has another film"
for message in "$line" "$film"; do kairan_on b --json inbox finish "$message" >/dev/null; done
kairan_on b --json inbox | is 'd == []' || fail "a message is delivered again"
converged 30 chat b c
stop_daemon b
step "Bob has both from c, once, and is off again"

start_daemon a
for message in "$line" "$film"; do wait_until 30 "Alice to see that Bob has read it" became "$message" read; done
# The relay learns that it need not keep the film any more.
ended() { [ "$(sqlite_on c 'SELECT count(*) FROM payload WHERE kept_until IS NOT NULL')" = 0 ]; }
wait_until 30 "c to release the film" ended
step "Alice learns of it from c, which has released the film"

for host in a c; do stop_daemon "$host"; done
if grep -q -r canary- "$(state_of c)"; then fail "c has text of the messages on its disk: $(grep -r -c canary- "$(state_of c)")"; fi
nothing_on_the_wire 'canary-[a-z]*'
step "neither c nor the wire has readable text of the messages"
