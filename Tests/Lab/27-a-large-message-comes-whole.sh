#!/usr/bin/env bash
# Alice on a sends Bob on b a file of 48 MB. It comes whole, whatever is killed or pulled out on the way, and is handed out when all of it is
# there; Bob's second machine, c, has it from the first while Alice is away. The wire says nothing of it.
. "$(dirname "$0")/defines.sh"
lab_up 3
for host in a b c; do start_daemon "$host"; done
pair b c
bob=$(kairan_on b --json status | json 'd["account"]')
stop_daemon c

listen_to_the_wire
kairan_on a --json zone create chat --container lab >/dev/null
link=$(kairan_on a --json share invite chat --rights write | json 'd["link"]')
kairan_on b --json join "$link" | is 'd["state"] == "joined"' || fail "b has not joined"
wait_until 20 "the zone on b" kairan_on b --json zone show chat

"$PYTHON" -c '
import random
random.seed(27)
with open("'"$LAB"'/a/film", "wb") as film:
    for _ in range(48):
        film.write(b"canary-film" + random.randbytes(1_000_000 - 11))
'
film=$(kairan_on a --json send chat --file "$LAB/a/film" --content-type video/mp4 --to "$bob" | json 'd["message"]')
kairan_on a --json message show "$film" | is 'd["size"] == 48000000 and d["payload"]["state"] == "present"' ||
    fail "a has sent something else"

# at HOST PERCENT: so much of it is there at least.
at() { kairan_on "$1" --json message show "$film" | is "d['payload']['percent'] >= $2"; }
fetching_on() { kairan_on b --json message show "$film" | is 'd["state"] == "fetching"'; }
waiting_on() { kairan_on "$1" --json inbox | is "any(m['message'] == '$film' for m in d)"; }
kills=0 pulls=0
for percent in 5 25; do
    wait_until 60 "$percent % of it on b" at b "$percent"
    if fetching_on; then kills=$((kills + 1)); fi
    kill_daemon b
    start_daemon b
done
wait_until 60 "half of it on b" at b 50
if fetching_on; then pulls=1; fi
unplug b
code=0
if fetching_on; then
    kairan_on b --json inbox finish "$film" >"$LAB/b/refused" 2>&1 || code=$?
    [ "$code" = 75 ] && grep -q '"message.incomplete"' "$LAB/b/refused" || fail "half a film can be finished: $(cat "$LAB/b/refused")"
    kairan_on b message get "$film" -o "$LAB/b/half" >/dev/null 2>&1 && fail "half a film can be had"
    waiting_on b && fail "half a film is handed out"
fi
plug b
wait_until 120 "all of it on b" waiting_on b
kairan_on b message get "$film" -o "$LAB/b/film" >/dev/null || fail "what b has cannot be had"
cmp "$LAB/a/film" "$LAB/b/film" || fail "b has another film"
step "b has it whole; it was killed $kills times on the way, and its cable pulled $pulls times"

became() { kairan_on a --json message show "$film" | is "all(r['state'] == '$1' for r in d['deliveries'] if r['device'] == '$second')"; }
second=$(kairan_on b --json status | json 'd["device"]')
wait_until 30 "a to see that b has it" became delivered
kairan_on b --json inbox finish "$film" >/dev/null
wait_until 30 "a to see that b has read it" became read
stop_daemon a
start_daemon c
wait_until 120 "all of it on c, from b" waiting_on c
kairan_on c message get "$film" -o "$LAB/c/film" >/dev/null || fail "what c has cannot be had"
cmp "$LAB/a/film" "$LAB/c/film" || fail "c has another film"
step "c has it from b, while a is off"

for host in b c; do stop_daemon "$host"; done
if grep -q -r canary-film "$(state_of b)" "$(state_of c)" "$(state_of a)"; then fail "it lies open on a disk"; fi
nothing_on_the_wire 'canary-[a-z]*'
step "it lies sealed on each disk, and the wire said nothing of it"
