#!/usr/bin/env bash
# Files of another program are linked on a, and not copied: b has placeholders, opens one and gets it from the file. A file that is moved is found again, and neither
# imported nor sent once more. A changed file is not served any more, and b keeps what it has; a deleted one leaves its record.
. "$(dirname "$0")/defines.sh"
lab_up 2
LIBRARY=$LAB/a/library
mkdir -p "$LIBRARY/2026"
noise() { # FILE BYTES
    "$PYTHON" -c 'import random, sys; random.seed(sys.argv[1]); open(sys.argv[1], "wb").write(random.randbytes(int(sys.argv[2])))' "$1" "$2"
}
for number in 1 2 3 4; do noise "$LIBRARY/2026/p-$number.jpg" $((3000000 + number)); done
KAIRAN_LINKED_ROOTS=$LIBRARY start_daemon a
start_daemon b
pair a b
kairan_on a --json zone create photos --container lab >/dev/null
wait_until 20 "the zone on b" kairan_on b --json zone show photos
for host in a b; do kairan_on "$host" --json asset policy photos on-demand >/dev/null; done

# import_on_a LOG: links the library, with a line of JSON for each file.
import_on_a() { kairan_on a --json asset import --link "$LIBRARY" photos --metadata none >"$LAB/$1.ndjson" 2>"$LAB/$1.log"; }
total_of() { json "documents[-1].get('$2', 0)" <"$LAB/$1.ndjson"; }
# state_on HOST FILE: the state of an asset by the end of the name of its record.
state_on() { kairan_on "$1" --json asset ls photos | json "next((x['state'] for x in d if x['record'].endswith('$2')), '')"; }
state_is() { [ "$(state_on "$1" "$2")" = "$3" ]; }
link_is() { [ "$(kairan_on a --json asset links photos | json "next((x['state'] for x in d if x['file'].endswith('$1')), '')")" = "$2" ]; }
record_of() { kairan_on a --json asset ls photos | json "next(x['record'] for x in d if x['record'].endswith('$1'))"; }
stored_on() { du -s --block-size=1 "$(state_of "$1")" | cut -f1; }

import_on_a first || fail "the library is not linked: $(cat "$LAB/first.log")"
[ "$(total_of first added)" = 4 ] || fail "the import has $(tail -n 1 "$LAB/first.ndjson")"
[ "$(stored_on a)" -lt 6000000 ] || fail "a has stored $(stored_on a) bytes, and the files have 12 millions"
kairan_on a --json asset ls photos | is 'all(x["state"] == "present" and x["linked"] and x["files"] for x in d) and len(d) == 4' ||
    fail "a has: $(kairan_on a --json asset ls photos)"
wait_until 30 "four placeholders on b" eval 'kairan_on b --json asset ls photos | is "len(d) == 4 and all(x[\"state\"] == \"remote\" for x in d)"'
step "a has linked four files and stored none of their bytes, and b has placeholders"

# The rules of the kernel keep everything else of the machine out.
ln -s /etc/passwd "$LIBRARY/passwd"
for path in /etc/passwd "$LIBRARY/passwd" "$LIBRARY/../../a/state/keys"; do
    if kairan_on a --json asset link photos other content "$path" >"$LAB/refused" 2>&1; then fail "$path was linked"; fi
    grep -q 'link\.' "$LAB/refused" || fail "$path was refused with: $(cat "$LAB/refused")"
done
step "no file outside of the folder is linked, and none through a symbolic link"

for number in 1 2; do
    kairan_on b asset get photos "$(record_of "p-$number.jpg")" content --output "$LAB/b/p-$number.jpg" >/dev/null || fail "b cannot open p-$number.jpg"
    cmp "$LIBRARY/2026/p-$number.jpg" "$LAB/b/p-$number.jpg" || fail "b has opened another file"
done
step "b has opened two of them, byte for byte"

mkdir "$LIBRARY/best"
mv "$LIBRARY/2026/p-3.jpg" "$LIBRARY/best/third.jpg"
wait_until 30 "the moved file to be found" link_is best/third.jpg sound
state_is a p-3.jpg present || fail "the moved file is $(state_on a p-3.jpg) on a"
import_on_a moved || fail "the library is not linked again: $(cat "$LAB/moved.log")"
[ "$(total_of moved unchanged)" = 4 ] || fail "the import after the move has $(tail -n 1 "$LAB/moved.ndjson")"
has_records a photos 4 || fail "a has $(records_on a photos) records after the move"
kairan_on b asset get photos "$(record_of p-3.jpg)" content --output "$LAB/b/p-3.jpg" >/dev/null || fail "b cannot open the moved file"
cmp "$LIBRARY/best/third.jpg" "$LAB/b/p-3.jpg" || fail "b has opened another file than the moved one"
step "the moved file has its record, was not imported again, and is served from its new place"

noise "$LIBRARY/2026/p-1.jpg" 3000009
wait_until 30 "the changed file to be noticed" link_is p-1.jpg changed
state_is a p-1.jpg remote || fail "the changed file is $(state_on a p-1.jpg) on a"
state_is b p-1.jpg present || fail "b has lost what it has: $(state_on b p-1.jpg)"
kairan_on a asset get photos "$(record_of p-1.jpg)" content --output "$LAB/a/p-1.jpg" >/dev/null || fail "a does not get the former content from b"
cmp "$LAB/b/p-1.jpg" "$LAB/a/p-1.jpg" || fail "a has another content than b"
rm "$LIBRARY/2026/p-4.jpg"
wait_until 30 "the deleted file to be noticed" link_is p-4.jpg missing
has_records a photos 4 || fail "a record has gone with its file"
has_records b photos 4 || fail "a record has gone on b"
if kairan_on b --json asset get photos "$(record_of p-4.jpg)" content --output "$LAB/b/p-4.jpg" >"$LAB/gone" 2>&1; then fail "b has a content that no machine has"; fi
grep -q 'asset.unavailable' "$LAB/gone" || fail "b is refused with: $(cat "$LAB/gone")"
step "a changed file is replaced by the content of b, and a deleted one leaves its record"

if kairan_on a --json asset evict photos "$(record_of p-2.jpg)" content >"$LAB/refused" 2>&1; then fail "a linked content was evicted"; fi
grep -q 'asset.linked' "$LAB/refused" || fail "the eviction was refused with: $(cat "$LAB/refused")"
kairan_on b --json asset why "$(kairan_on b --json asset ls photos | json "next(x['asset'] for x in d if x['record'].endswith('p-2.jpg'))")" |
    is '[x["answer"] for x in d["holders"]] == ["absent"]' || fail "a says that it holds what it has linked alone"
step "no machine counts on a linked file, and nothing of it is evicted"
