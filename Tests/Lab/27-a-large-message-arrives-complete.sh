#!/usr/bin/env bash
# Alice on a sends Bob on b a file of 48 MB. It arrives complete despite kills and unplugged cables, and is delivered only when all of it
# has arrived; Bob's second machine, c, gets it from the first while Alice is away. Nothing readable of it is on the wire.
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
    fail "a shows another size or state of the payload"

# at HOST PERCENT: at least this share of the file has arrived.
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
    [ "$code" = 75 ] && grep -q '"message.incomplete"' "$LAB/b/refused" || fail "an incomplete film can be finished: $(cat "$LAB/b/refused")"
    kairan_on b message get "$film" -o "$LAB/b/half" >/dev/null 2>&1 && fail "an incomplete film can be downloaded"
    waiting_on b && fail "an incomplete film is delivered"
fi
plug b
wait_until 120 "all of it on b" waiting_on b
kairan_on b message get "$film" -o "$LAB/b/film" >/dev/null || fail "the film cannot be downloaded on b"
cmp "$LAB/a/film" "$LAB/b/film" || fail "b has another film"
step "b has the complete film; it was killed $kills times during the transfer, and unplugged $pulls times"

became() { kairan_on a --json message show "$film" | is "all(r['state'] == '$1' for r in d['deliveries'] if r['device'] == '$second')"; }
second=$(kairan_on b --json status | json 'd["device"]')
wait_until 30 "a to see that b has it" became delivered
kairan_on b --json inbox finish "$film" >/dev/null
wait_until 30 "a to see that b has read it" became read
stop_daemon a
start_daemon c
wait_until 120 "all of it on c, from b" waiting_on c
kairan_on c message get "$film" -o "$LAB/c/film" >/dev/null || fail "the film cannot be downloaded on c"
cmp "$LAB/a/film" "$LAB/c/film" || fail "c has another film"
step "c has the film from b, while a is off"

for host in b c; do stop_daemon "$host"; done
if grep -q -r canary-film "$(state_of b)" "$(state_of c)" "$(state_of a)"; then fail "a disk has the film in clear"; fi
nothing_on_the_wire 'canary-[a-z]*'
step "each disk has it sealed, and nothing readable of it was on the wire"
