#!/usr/bin/env bash
# kairan-photos of Examples: an album is made on a, and b has names, times and thumbnails of its photos before any content moves. Opening a photo on b fetches it; a film is continued
# behind an unplugged cable and kill -9 of the daemon. Titles that both write at once are a conflict, and tags are not. b frees a photo that a promises to keep.
. "$(dirname "$0")/defines.sh"
PHOTOS_BIN=${PHOTOS_BIN:-$KAIRAN_BIN/kairan-photos}
[ -x "$PHOTOS_BIN" ] || fail "$PHOTOS_BIN is not built ('make lab' builds it)"
lab_up 2
for host in a b; do start_daemon "$host"; done
pair a b

# photos_on HOST ARGUMENTS…: runs the application, which prints one JSON document a line.
photos_on() {
    local host=$1
    shift
    on "$host" env "KAIRAN_SOCKET=$(socket_of "$host")" "$PHOTOS_BIN" "$@" --json
}
# noise FILE BYTES: a file that nothing compresses.
noise() {
    "$PYTHON" -c '
import random, sys
random.seed(sys.argv[1])
with open(sys.argv[1], "wb") as file:
    left = int(sys.argv[2])
    while left:
        part = random.randbytes(min(left, 1 << 20))
        file.write(part)
        left -= len(part)
' "$1" "$2"
}
# of HOST PHOTO EXPRESSION: an expression on a photo `x` in the list of a host; empty where it is not there.
of() { photos_on "$1" ls holiday | json "next((($3) for x in documents if x['photo'] == '$2'), '')"; }
is_at() { [ "$(of "$1" "$2" "$3")" = "$4" ]; }
lists() { [ "$(photos_on "$1" ls holiday | json 'len(documents)')" = "$2" ]; }
same_bytes() { [ "$(sha256sum <"$1")" = "$(sha256sum <"$2")" ]; }

photos_on a album new holiday | is 'd["policy"] == "on_demand"' || fail "the album has another policy on a"
has_album() { photos_on b album ls | is 'd["album"] == "holiday" and d["policy"] == "on_demand"'; }
wait_until 20 "the album on b" has_album
photos_on b watch holiday >"$LAB/b/screen" 2>"$LAB/b/log/watch.log" &
step "b has the empty album, with the policy on demand"

noise "$LAB/a/lake.jpg" 20000001
noise "$LAB/a/lake-small.webp" 16384
noise "$LAB/a/film.mp4" $((96 << 20))
photos_on a add holiday "$LAB/a/lake.jpg" --thumbnail "$LAB/a/lake-small.webp" --taken 2026-07-21T07:30:00Z --title Lake |
    is 'documents[-1]["event"] == "added" and documents[-1]["size"] == 20000001' || fail "the photo was not added"
photos_on a add holiday "$LAB/a/film.mp4" --tag summer >/dev/null || fail "the film was not added"
photos_on a add holiday "$LAB/a/lake.jpg" | is '[x["event"] for x in documents] == ["unchanged"]' || fail "the photo was added twice"
wait_until 30 "both photos on b" lists b 2
placeholder="f\"{x['state']} {x['percent']} {x['size']} {x['media_type']} {x['thumbnail']} {x.get('taken_at')}\""
is_placeholder() { is_at b lake.jpg "$placeholder" "remote 0 20000001 image/jpeg True 2026-07-21T07:30:00Z"; }
is_placeholder || fail "the photo on b is: $(of b lake.jpg "$placeholder")"
photos_on b thumbnail holiday Lake --output "$LAB/b/small" >/dev/null || fail "b has no thumbnail"
same_bytes "$LAB/a/lake-small.webp" "$LAB/b/small" || fail "b has another thumbnail"
holds_for 3 "b has a placeholder and no content" is_placeholder
step "b has names, times and a thumbnail, and no content"

photos_on b open holiday lake.jpg --output "$LAB/b/lake.jpg" >"$LAB/b/opened" || fail "the photo cannot be opened on b"
same_bytes "$LAB/a/lake.jpg" "$LAB/b/lake.jpg" || fail "b has opened another photo"
is 'documents[-1]["event"] == "opened" and any(x["event"] == "progress" for x in documents)' <"$LAB/b/opened" ||
    fail "opening has reported: $(tail -n 3 "$LAB/b/opened")"
is_at b lake.jpg 'x["state"]' present || fail "b does not keep the photo that it has opened"
is_at b film.mp4 'x["state"]' remote || fail "b has fetched the film, which was not opened"
# screen EXPRESSION: an expression on the documents of the watched album.
screen() { is "$1" <"$LAB/b/screen"; }
wait_until 10 "the photo on the screen of b as present" screen \
    'any(x["photo"] == "lake.jpg" and x["event"] == "content" and x["state"] == "present" for x in documents)'
screen 'any(x["photo"] == "lake.jpg" and x["event"] == "photo" and x["state"] == "remote" for x in documents)' ||
    fail "the screen of b has shown no placeholder"
step "opening the photo has fetched it, byte for byte, and the screen has shown it"

photos_on b open holiday film.mp4 --output "$LAB/b/film.mp4" --wait 200 >"$LAB/b/film.log" 2>"$LAB/b/log/open.log" &
opening=$!
opened_at_least() { [ "$(json 'max(x.get("percent", 0) for x in documents)' <"$LAB/b/film.log")" -ge "$1" ]; }
wait_until 120 "a part of the film on b" opened_at_least 5
unplug b
before=$(of b film.mp4 'x["percent"]')
[ "$before" -lt 100 ] || fail "the film was complete before the cable was unplugged, so this test would be void"
kill_daemon b
start_daemon b
after=$(of b film.mp4 'x["percent"]')
[ "$after" -ge "$before" ] || fail "b had $before % of the film, and has $after % after kill -9"
[ ! -e "$LAB/b/film.mp4" ] || fail "a part of the film has the name of the whole"
plug b
wait "$opening" || fail "opening did not outlast the kill: $(cat "$LAB/b/log/open.log")"
same_bytes "$LAB/a/film.mp4" "$LAB/b/film.mp4" || fail "b has opened another film"
[ -z "$(find "$LAB/b" -maxdepth 1 -name '*.part')" ] || fail "a part of the film stays beside it"
wait_until 30 "the film on the screen of b as present" screen \
    'any(x["photo"] == "film.mp4" and x.get("state") == "present" for x in documents)'
step "the film was opened through kill -9 of the daemon; b had $before % then, and $after % when it started again"

wait_until 30 "a and b to be connected again" connected a b
cut_off a b
photos_on a edit holiday lake.jpg --title "The lake" --tag water >/dev/null || fail "a cannot edit the photo"
photos_on b edit holiday lake.jpg --title "At noon" --tag sun --favourite >/dev/null || fail "b cannot edit the photo"
heal
merged='x.get("titles"), x["tags"], x["favourite"]'
wait_until 60 "both titles and tags on a" is_at a lake.jpg "$merged" '[["At noon", "The lake"], ["sun", "water"], true]'
wait_until 60 "both titles and tags on b" is_at b lake.jpg "$merged" '[["At noon", "The lake"], ["sun", "water"], true]'
photos_on a edit holiday lake.jpg --title "The lake" >/dev/null || fail "a cannot end the conflict"
for host in a b; do
    wait_until 30 "one title on $host" is_at "$host" lake.jpg 'x.get("titles"), x.get("title")' '[null, "The lake"]'
done
step "both tags and the mark were merged; both titles were shown until one was written"

freed() { photos_on b free holiday lake.jpg >"$LAB/b/freed"; }
wait_until 60 "b to free the photo" freed
is 'd["event"] == "freed" and d["freed"] == 20000001 and [x["answer"] for x in d["devices"]] == ["promised"]' <"$LAB/b/freed" ||
    fail "freeing has reported: $(cat "$LAB/b/freed")"
is_at b lake.jpg 'x["state"], x["thumbnail"]' '["evicted", true]' || fail "the freed photo on b is: $(of b lake.jpg 'x["state"], x["thumbnail"]')"
if photos_on a free holiday lake.jpg >"$LAB/a/freed"; then fail "a has dropped the photo that it has promised to keep"; fi
is 'd["event"] == "kept" and d["code"] == "asset.promised"' <"$LAB/a/freed" || fail "a keeps the photo with: $(cat "$LAB/a/freed")"
stop_daemon a
# A content that was read a moment ago is taken for one that is read on.
unread() {
    if photos_on b free holiday film.mp4 >"$LAB/b/freed"; then fail "b has dropped a film that no machine in reach has"; fi
    is 'd["code"] != "asset.busy"' <"$LAB/b/freed"
}
wait_until 30 "the film to be read no more" unread
is 'd["event"] == "kept" and d["code"] == "asset.not_safe"' <"$LAB/b/freed" || fail "b keeps the film with: $(cat "$LAB/b/freed")"
if on b env "KAIRAN_SOCKET=$(socket_of b)" "$PHOTOS_BIN" open holiday lake.jpg --output "$LAB/b/again.jpg" --wait 1 2>"$LAB/b/absent"; then
    fail "b has opened a photo that no machine in reach has"
fi
[ -s "$LAB/b/absent" ] || fail "b does not say why the photo cannot be opened"
[ ! -e "$LAB/b/again.jpg" ] || fail "b has written a file without the photo"
start_daemon a
photos_on b open holiday lake.jpg --output "$LAB/b/again.jpg" >/dev/null || fail "the freed photo cannot be opened again"
same_bytes "$LAB/a/lake.jpg" "$LAB/b/again.jpg" || fail "b has opened another photo behind the freed one"
step "b has freed a photo that a keeps, and has it again; neither drops the only copy in reach"

photos_on a rm holiday film.mp4 >/dev/null || fail "a cannot delete the film"
wait_until 30 "the film to be gone on b" lists b 1
wait_until 10 "the film to be gone on the screen of b" screen \
    'any(x["event"] == "removed" and x["photo"] == "film.mp4" for x in documents)'
step "a has deleted the film everywhere"
