#!/usr/bin/env bash
# A photo of 20 MiB is added on a. b, with the policy on-demand, has a placeholder, and fetches the photo when it is read. A film of 128 MiB continues behind
# an unplugged cable and kill -9 with the missing part. When the record of the photo is deleted, both list its content as one without a record, and keep it.
. "$(dirname "$0")/defines.sh"
lab_up 2
for host in a b; do start_daemon "$host"; done
pair a b
kairan_on a --json zone create photos --container lab >/dev/null
wait_until 20 "the zone on b" kairan_on b --json zone show photos
kairan_on b --json asset policy photos on-demand | is 'd["policy"] == "on_demand" and not d["default"]' || fail "b has another policy"

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
# of RECORD EXPRESSION: an expression on the asset `x` of a record, in the list of a host.
of() { kairan_on "$1" --json asset ls photos | json "next(($3 for x in d if x['record'] == '$2'), '')"; }
is_in_state() { [ "$(of "$1" "$2" "x['state']")" = "$3" ]; }
percent() { of "$1" "$2" "x['percent']"; }
# at HOST RECORD PERCENT: at least this share of the content is here.
at() { [ "$(percent "$1" "$2")" -ge "$3" ]; }
same_bytes() { [ "$(sha256sum <"$1")" = "$(sha256sum <"$2")" ]; }

noise "$LAB/a/lake.jpg" 20
kairan_on a --json asset add photos lake picture "$LAB/a/lake.jpg" --media-type image/jpeg |
    is '(d["size"], d["state"], d["percent"]) == (20971520, "present", 100)' || fail "the photo is not on a as a whole"
is_in_state a lake present || fail "a has not all of its own photo"
wait_until 30 "the record on b" has_record b photos lake
is_placeholder() { [ "$(of b lake "f\"{x['state']} {x['name']} {x['size']} {x['percent']}\"")" = "remote lake.jpg 20971520 0" ]; }
wait_until 10 "the placeholder on b" is_placeholder
holds_for 3 "the photo on b is a placeholder" is_placeholder
step "b has a placeholder, and does not fetch the photo by itself"

kairan_on b asset get photos lake picture --output "$LAB/b/lake.jpg" >/dev/null || fail "the photo cannot be read on b"
same_bytes "$LAB/a/lake.jpg" "$LAB/b/lake.jpg" || fail "b has read another photo"
is_in_state b lake present || fail "b does not keep the photo that it has fetched"
[ ! -e "$LAB/b/lake.jpg.part" ] || fail "a part of the photo stays beside it"
step "b has the photo, because it was read"

noise "$LAB/a/film" 128
kairan_on a --json asset add photos film video "$LAB/a/film" >/dev/null
wait_until 30 "the record of the film on b" has_record b photos film
kairan_on b --json asset fetch photos film video >/dev/null
wait_until 120 "a part of the film on b" at b film 10
unplug b
before=$(percent b film)
[ "$before" -lt 100 ] || fail "the film was complete before the cable was unplugged, so this test would be void"
kill_daemon b
start_daemon b
after=$(percent b film)
[ "$after" -ge "$before" ] || fail "b had $before % of the film, and has $after % after kill -9"
plug b
wait_until 180 "all of the film on b" is_in_state b film present
kairan_on b asset get photos film video --output "$LAB/b/film" >/dev/null || fail "the film cannot be read on b"
same_bytes "$LAB/a/film" "$LAB/b/film" || fail "b has another film"
step "b has the film; it had $before % when it was killed, and $after % when it started again"

photo=$(of a lake "x['asset']")
kairan_on a rm photos lake >/dev/null
lists_photo() { kairan_on "$1" --json asset gc --dry-run | is "any(x['asset'] == '$photo' for x in d['assets']) and d['dropped'] == 0"; }
for host in a b; do wait_until 60 "the photo among the contents without a record on $host" lists_photo "$host"; done
kairan_on b --json asset gc --yes | is 'd["dropped"] == 0' || fail "b drops the photo before its seven days are over"
kairan_on b --json asset why "$photo" | is 'd["state"] == "present" and d["places"] == []' || fail "b explains another state of the photo"
is_in_state b film present || fail "b has dropped the film, which a record names"
step "both list the photo without a record, and keep it"

for host in a b; do stop_daemon "$host"; done
if grep -q -r canary-photo "$(state_of a)" "$(state_of b)"; then fail "a disk has the photo in clear"; fi
step "each disk has it sealed"
