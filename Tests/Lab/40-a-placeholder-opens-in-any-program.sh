#!/usr/bin/env bash
# Files that are added on a are in a folder on b, where the zone is mounted and its policy is on-demand: any program opens a placeholder, and has the bytes of a.
# A daemon that is killed while a file is read is an error for the reader, and never zeros; once it runs again the folder is read on, without another mount.
. "$(dirname "$0")/defines.sh"
[ -c /dev/fuse ] || lab_not_run "there is no /dev/fuse ('modprobe fuse' makes it)"
for program in fusermount3 getfattr; do
    command -v "$program" >/dev/null || lab_not_run "$program is missing ('scripts/setup' installs it)"
done
[ -x "$KAIRAN_BIN/kairan-mount" ] || fail "$KAIRAN_BIN/kairan-mount is not built"
lab_up 2
for host in a b; do start_daemon "$host"; done
pair a b
kairan_on a --json zone create holiday --container lab >/dev/null
wait_until 20 "the zone on b" kairan_on b --json zone show holiday
kairan_on b --json asset policy holiday on-demand >/dev/null

# noise FILE BYTES: a file without a zero, so that zeros in the place of missing bytes are seen.
noise() {
    "$PYTHON" -c '
import random, sys
random.seed(sys.argv[1])
with open(sys.argv[1], "wb") as file:
    left = int(sys.argv[2])
    while left:
        part = random.randbytes(min(left, 1 << 20)).replace(b"\0", b"\1")
        file.write(part)
        left -= len(part)
' "$1" "$2"
}
# add PATH FILE: a record that describes a file (docs/protocol/files.md), on a.
add() {
    kairan_on a put holiday "$1" --type File "path=$1" "content=@$2" >/dev/null
}
digest() { sha256sum <"$1" | cut -d' ' -f1; }

mkdir "$LAB/a/files"
noise "$LAB/a/files/lake.jpg" 5000001
noise "$LAB/a/files/film" $((48 << 20))
printf 'short' >"$LAB/a/files/note.txt"
add 2026/lake.jpg "$LAB/a/files/lake.jpg"
add film "$LAB/a/files/film"
kairan_on a --json asset add holiday trip picture "$LAB/a/files/note.txt" --media-type text/plain >/dev/null
for record in 2026/lake.jpg film trip; do wait_until 30 "the record $record on b" has_record b holiday "$record"; done

# Beside the folders of the lab, so that it is seen inside the host alone.
FOLDER=/run/holiday
on b mkdir "$FOLDER"
kairan_on b mount holiday "$FOLDER" --wait 5 | grep -q "Mounted holiday at $FOLDER" || fail "kairan mount does not say where the zone is"
[ "$(kairan_on b --json mount --list | json 'd[0]["zone"] + " " + d[0]["folder"]')" = "holiday $FOLDER" ] ||
    fail "kairan mount --list lists: $(kairan_on b --json mount --list)"
[ "$(on b sh -c "cd $FOLDER && find . -type f | sort | xargs")" = "./2026/lake.jpg ./film ./trip/note.txt" ] ||
    fail "the folder has other files: $(on b find "$FOLDER")"
[ "$(on b stat -c '%s %A' "$FOLDER/2026/lake.jpg")" = "5000001 -r--r--r--" ] || fail "the placeholder has another size or mode"
attribute() { on b getfattr --absolute-names --only-values -n "user.kairan.$2" "$FOLDER/$1"; }
[ "$(attribute 2026/lake.jpg state) $(attribute 2026/lake.jpg percent)" = "remote 0" ] ||
    fail "the photo is $(attribute 2026/lake.jpg state) before it is read"
step "b shows placeholders with names and sizes, and has fetched nothing"

[ "$(on b sha256sum "$FOLDER/2026/lake.jpg" | cut -d' ' -f1)" = "$(digest "$LAB/a/files/lake.jpg")" ] || fail "sha256sum reads another photo"
on b cp "$FOLDER/2026/lake.jpg" /run/copy.jpg
[ "$(on b sha256sum /run/copy.jpg | cut -d' ' -f1)" = "$(digest "$LAB/a/files/lake.jpg")" ] || fail "cp copies another photo"
[ "$(on b cat "$FOLDER/trip/note.txt")" = short ] || fail "cat shows another text"
[ "$(attribute 2026/lake.jpg state) $(attribute trip/note.txt media_type)" = "present text/plain" ] ||
    fail "the attributes are $(on b getfattr --absolute-names -d "$FOLDER/2026/lake.jpg" "$FOLDER/trip/note.txt")"
[ "$(attribute film state)" = remote ] || fail "b has fetched the film, which no program has read"
! on b sh -c "echo x >$FOLDER/new" 2>/dev/null || fail "a file can be written"
step "any program reads them, by fetching them first, and none changes them"

# A reader with a slow disk; the daemon is killed in the middle of the film.
on b "$PYTHON" -c '
import errno, os, sys
source = os.open(sys.argv[1], os.O_RDONLY)
copy = open("/run/film.part", "wb", buffering=0)
while True:
    try:
        part = os.read(source, 65536)
    except OSError as error:
        print("failed", errno.errorcode[error.errno], flush=True)
        sys.exit(3)
    if not part:
        sys.exit(0)
    copy.write(part)
    if copy.tell() == 8 << 20:
        print("reading", flush=True)
        sys.stdin.readline()
' "$FOLDER/film" >"$LAB/b/reader" < <(wait_until 60 "the daemon of b to be killed" test -e "$LAB/b/killed" >&2; echo) &
reader=$!
wait_until 60 "eight mebibytes of the film to be read on b" grep -q reading "$LAB/b/reader"
kill_daemon b
: >"$LAB/b/killed"
code=0
wait "$reader" || code=$?
[ "$code" = 3 ] || fail "the reader ended with $code although the daemon was killed: $(cat "$LAB/b/reader")"
grep -q 'failed EIO' "$LAB/b/reader" || fail "the reader failed with: $(cat "$LAB/b/reader")"
copied=$(on b stat -c %s /run/film.part)
[ "$copied" -lt $((48 << 20)) ] || fail "the film was read as a whole, so this test would be void"
on b cat /run/film.part | cmp - <(head -c "$copied" "$LAB/a/files/film") || fail "the part that was read has other bytes than the film"
on b ls "$FOLDER" >/dev/null || fail "the folder is not listed without a daemon"
step "kill -9 of the daemon ends the reading with an error after $copied bytes, all of them the film's"

start_daemon b
wait_until 20 "a and b to be connected" connected b a
same_film() { [ "$(on b sha256sum "$FOLDER/film" | cut -d' ' -f1)" = "$(digest "$LAB/a/files/film")" ]; }
wait_until 120 "all of the film through the same mount" same_film
step "with the daemon back, the same mount has all of the film"

noise "$LAB/a/files/other" 3000000
add 2026/lake.jpg "$LAB/a/files/other"
kairan_on a rm holiday film >/dev/null
is_other() { [ "$(on b sha256sum "$FOLDER/2026/lake.jpg" | cut -d' ' -f1)" = "$(digest "$LAB/a/files/other")" ]; }
wait_until 30 "the other photo on b" is_other
wait_until 30 "the film to be gone on b" eval "! on b test -e $FOLDER/film"
step "changes of a appear in the folder"

# The owner of b does not want the content, and no device in reach has other content.
kairan_on b --json asset policy holiday never >/dev/null
noise "$LAB/a/files/never" 1000000
add never "$LAB/a/files/never"
wait_until 30 "the file on b" on b test -e "$FOLDER/never"
failure() { on b cat "$1" 2>&1 >/dev/null | sed 's/.*: //'; }
[ "$(failure "$FOLDER/never")" = "Permission denied" ] || fail "with the policy never, cat says: $(failure "$FOLDER/never")"
kairan_on b --json asset policy holiday on-demand >/dev/null
unplug b
[ "$(failure "$FOLDER/never")" = "Connection timed out" ] || fail "without a, cat says: $(failure "$FOLDER/never")"
step "content that is not wanted, or that no device in reach has, is an error of its own"

on b pgrep -x kairan-mount >/dev/null || fail "no process is named kairan-mount"
on b fusermount3 -u "$FOLDER"
wait_until 10 "kairan-mount to end" eval "! on b pgrep -x kairan-mount"
[ -z "$(on b ls -A "$FOLDER")" ] || fail "the folder has files behind the mount"
[ "$(kairan_on b --json mount --list)" = "[]" ] || fail "kairan mount --list lists a mount that is gone"
step "fusermount3 unmounts it, and the program ends"
