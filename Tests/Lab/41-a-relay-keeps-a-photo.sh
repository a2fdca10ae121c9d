#!/usr/bin/env bash
# Alice adds photos on a while b, a machine that has just been paired, is off. Her relay c keeps their contents. Then a is switched off, and b gets
# them from c, byte for byte, but for those of a zone that she keeps from relays. c has nothing readable of them.
. "$(dirname "$0")/defines.sh"
lab_up 3
for host in a b c; do start_daemon "$host"; done
: >"$LAB/a/offer.json"
kairan_on a --json pair offer --role relay-only >"$LAB/a/offer.json" 2>"$LAB/a/log/offer.log" &
wait_until 15 "a ticket from a" eval "json 'd[\"ticket\"]' <'$LAB/a/offer.json'"
kairan_on c --json pair accept "$(json 'd["ticket"]' <"$LAB/a/offer.json")" >/dev/null || fail "c could not accept the ticket"
wait_until 20 "a and c to be connected" connected a c
for zone in photos secrets; do kairan_on a --json zone create "$zone" --container lab >/dev/null; done
pair a b
wait_until 30 "b and c to be connected" connected b c
for zone in photos secrets; do wait_until 30 "the zone $zone on b" kairan_on b --json zone show "$zone"; done
stop_daemon b
step "b is off"

# noise FILE MEBIBYTES: a file that nothing compresses, with a text that is not to be read elsewhere.
noise() {
    "$PYTHON" -c '
import random, sys
random.seed(sys.argv[1])
with open(sys.argv[1], "wb") as file:
    for _ in range(int(sys.argv[2])):
        file.write(b"canary-photo" + random.randbytes((1 << 20) - 12))
' "$1" "$2"
}
# of HOST ZONE RECORD EXPRESSION: an expression on the asset `x` of a record, in the list of a host.
of() { kairan_on "$1" --json asset ls "$2" | json "next(($4 for x in d if x['record'] == '$3'), '')"; }
is_kept() { [ "$(of a photos "$1" "len(x.get('relays', []))")" = 1 ]; }
is_in_state() { [ "$(of "$1" "$2" "$3" "x['state']")" = "$4" ]; }

kairan_on a --json asset policy secrets --no-relays | is 'd["policy"] == "always" and d["default"] and not d["relays"]' ||
    fail "relays are not kept from the zone"
noise "$LAB/a/lake.jpg" 5
noise "$LAB/a/film" 40
noise "$LAB/a/key.jpg" 1
kairan_on a --json asset add photos lake picture "$LAB/a/lake.jpg" >/dev/null
kairan_on a --json asset add photos party film "$LAB/a/film" >/dev/null
kairan_on a --json asset add secrets key picture "$LAB/a/key.jpg" >/dev/null
for record in lake party; do wait_until 90 "$record on c" is_kept "$record"; done
asset=$(of a photos lake "x['asset']")
kairan_on a --json asset why "$asset" | is 'len(d["relays"]) == 1 and d["relays"][0]["until"]' || fail "a does not say which relay keeps the photo"
kairan_on a asset why "$asset" | grep -q 'keeps it, until' || fail "a does not say until when the relay keeps the photo"
converged 30 photos a c
converged 30 secrets a c
[ "$(of a secrets key "len(x.get('relays', []))")" = 0 ] || fail "a relay keeps what is not to be kept"
stop_daemon a
step "c keeps two contents, and only c is on"

start_daemon b
for record in lake party; do wait_until 120 "$record on b" is_in_state b photos "$record" present; done
kairan_on b asset get photos lake picture --output "$LAB/b/lake.jpg" >/dev/null || fail "the photo cannot be read on b"
kairan_on b asset get photos party film --output "$LAB/b/film" >/dev/null || fail "the film cannot be read on b"
cmp "$LAB/a/lake.jpg" "$LAB/b/lake.jpg" || fail "b has another photo"
cmp "$LAB/a/film" "$LAB/b/film" || fail "b has another film"
wait_until 30 "the record of the other zone on b" has_record b secrets key
if is_in_state b secrets key present; then fail "b has a content that no relay was to keep"; fi
step "b has the contents from c, and none of the other zone"

for host in b c; do stop_daemon "$host"; done
if grep -q -r canary- "$(state_of c)"; then fail "c has text of the photos on its disk"; fi
step "c has no readable text of the photos"
