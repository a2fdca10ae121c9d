#!/usr/bin/env bash
# 200 photos are imported on a. The import is killed with -9, then its daemon is, and each time another import continues. b, with the policy on-demand, has
# all of them as placeholders with thumbnail, camera, time and place. The next import reads no file, and a later one takes the new, the moved and the changed file alone.
. "$(dirname "$0")/defines.sh"
for tool in vips vipsthumbnail exiftool bwrap; do
    command -v "$tool" >/dev/null || lab_not_run "$tool is not installed ('make setup' installs it)"
done
lab_up 2
for host in a b; do start_daemon "$host"; done
pair a b
kairan_on a --json zone create photos --container lab >/dev/null
wait_until 20 "the zone on b" kairan_on b --json zone show photos
kairan_on b --json asset policy photos on-demand >/dev/null

# One photo with everything that cameras write, and 199 that differ in a comment.
LIBRARY=$LAB/a/library
mkdir -p "$LIBRARY/2026"
vips gaussnoise "$LAB/a/noise.v" 640 480 --mean 128 --sigma 40
vips cast "$LAB/a/noise.v" "$LAB/a/grey.v" uchar
vips jpegsave "$LAB/a/grey.v" "$LAB/a/photo.jpg" --Q 80
exiftool -q -overwrite_original -Make=Apple "-Model=iPhone 15" "-DateTimeOriginal=2026:07:21 09:30:00" \
    "-OffsetTimeOriginal=+02:00" -GPSLatitude=48.2082 -GPSLatitudeRef=N -GPSLongitude=16.3738 -GPSLongitudeRef=E \
    "-Orientation#=6" "$LAB/a/photo.jpg"
"$PYTHON" -c '
import sys
photo = open(sys.argv[1], "rb").read()
for number in range(200):
    comment = b"photo %03d" % number
    with open(f"{sys.argv[2]}/2026/p-{number:03}.jpg", "wb") as file:
        file.write(photo[:2] + b"\xff\xfe" + (len(comment) + 2).to_bytes(2, "big") + comment + photo[2:])
' "$LAB/a/photo.jpg" "$LIBRARY"
ln -s p-000.jpg "$LIBRARY/2026/link.jpg"

# import_on_a LOG [OPTION…]: one import of the library on a, with a line of JSON for each file.
import_on_a() { kairan_on a --json asset import "$LIBRARY" photos "${@:2}" >"$LAB/$1.ndjson" 2>"$LAB/$1.log"; }
# lines_with LOG OUTCOME: the number of files with an outcome.
lines_with() { json "sum(x.get('outcome') == '$2' for x in documents)" <"$LAB/$1.ndjson"; }
has_added() { [ "$(lines_with "$1" added)" -ge "$2" ]; }
total_of() { json "documents[-1]['$2']" <"$LAB/$1.ndjson"; }

enter a
"${ENTER[@]}" env "KAIRAN_SOCKET=$(socket_of a)" "$KAIRAN_BIN/kairan" --json asset import "$LIBRARY" photos --jobs 1 \
    </dev/null >"$LAB/killed.ndjson" 2>"$LAB/killed.log" &
import=$!
wait_until 120 "the first files of the import" has_added killed 1
kill -KILL "$(child_of "$import")" || fail "the import had ended before it was killed, so this test would be void"
wait "$import" 2>/dev/null || true
killed=$(lines_with killed added)
[ "$killed" -lt 200 ] || fail "all files were imported before the kill, so this test would be void"
[ "$(records_on a photos)" -ge "$killed" ] || fail "a file that was reported has no record"
step "the import was killed after $killed files"

import_on_a broken --jobs 1 &
import=$!
wait_until 120 "further files" has_added broken 1
kill_daemon a
if wait "$import"; then fail "the import reports success, although its daemon was killed"; fi
broken=$(lines_with broken added)
step "its daemon was killed after $broken further files"
start_daemon a
has_records a photos 0 && fail "no record has outlasted the kills"

import_on_a rest || fail "the import does not continue: $(cat "$LAB/rest.log")"
[ "$(total_of rest unchanged)" -ge $((killed + broken)) ] || fail "the import has read files that were imported already"
[ $(($(total_of rest unchanged) + $(total_of rest added))) = 200 ] || fail "the import has $(tail -n 1 "$LAB/rest.ndjson")"
[ "$(total_of rest left_out)" = 1 ] || fail "the symbolic link was not left out"
[ "$(total_of rest without_metadata)" = 0 ] || fail "some photos have no metadata or no thumbnail"
has_records a photos 200 || fail "a has $(records_on a photos) records"
step "another import has continued with the remaining $(total_of rest added) files"

import_on_a again || fail "the second import failed"
[ "$(total_of again unchanged)" = 200 ] || fail "the second import has $(tail -n 1 "$LAB/again.ndjson")"
step "the next import passes over all 200 files"

wait_until 60 "a and b to be connected again" connected a b
wait_until 60 "all records on b" has_records b photos 200
kairan_on b --json asset ls photos |
    is 'len(d) == 200 and all((x["state"], x["percent"], x["media_type"]) == ("remote", 0, "image/jpeg") for x in d)' ||
    fail "b has other states than placeholders"
kairan_on b --json get photos 2026/p-123.jpg >"$LAB/b/photo.json"
is 'd["fields"]["camera"] == "Apple iPhone 15" and d["fields"]["taken_at"] == {"$date": "2026-07-21T07:30:00.000Z"}' \
    <"$LAB/b/photo.json" || fail "camera or time are wrong on b: $(cut -c1-400 "$LAB/b/photo.json")"
is '(d["fields"]["width"], d["fields"]["height"]) == (480, 640)' <"$LAB/b/photo.json" || fail "the size is wrong on b"
is 'abs(d["fields"]["place"]["$location"]["longitude"] - 16.3738) < 1e-6' <"$LAB/b/photo.json" || fail "the place is wrong on b"
json 'd["fields"]["content"]["$asset"]["thumbnail"]' <"$LAB/b/photo.json" | base64 -d >"$LAB/b/thumbnail"
[ "$(head -c 4 "$LAB/b/thumbnail")" = RIFF ] || fail "the thumbnail on b is no WebP picture"
[ "$(stat -c %s "$LAB/b/thumbnail")" -le 16384 ] || fail "the thumbnail on b is too large"
step "b has 200 placeholders with thumbnails, and no content"

kairan_on b asset get photos 2026/p-123.jpg content --output "$LAB/b/photo.jpg" >/dev/null || fail "the photo cannot be read on b"
cmp -s "$LIBRARY/2026/p-123.jpg" "$LAB/b/photo.jpg" || fail "b has another photo"
step "b has a photo, byte for byte, because it was read"

mv "$LIBRARY/2026/p-000.jpg" "$LIBRARY/moved.jpg"
cat "$LIBRARY/2026/p-002.jpg" >"$LIBRARY/2026/p-001.jpg"
echo new >"$LIBRARY/new.txt"
import_on_a later || fail "the later import failed: $(cat "$LAB/later.log")"
[ "$(total_of later added) $(total_of later changed) $(total_of later unchanged)" = "2 1 198" ] ||
    fail "the later import has $(tail -n 1 "$LAB/later.ndjson")"
asset_of() { kairan_on a --json get photos "$1" | json 'd["fields"]["content"]["$asset"]["asset"]'; }
[ "$(asset_of moved.jpg)" = "$(asset_of 2026/p-000.jpg)" ] || fail "the moved photo was uploaded again"
[ "$(asset_of 2026/p-001.jpg)" = "$(asset_of 2026/p-002.jpg)" ] || fail "the copied photo was uploaded again"
has_records a photos 202 || fail "a has $(records_on a photos) records after the later import"
step "a later import takes the new, the moved and the changed file, and removes nothing"

for host in a b; do stop_daemon "$host"; done
