#!/usr/bin/env bash
# Folders on a and b are kept in step with one zone: files that are written, changed and moved on either, a file that both change while they are apart,
# kill -9 of both in the middle of a large tree, a deletion that goes to the trash and comes back, and an emptied folder that deletes nothing unasked.
. "$(dirname "$0")/defines.sh"
lab_up 2
for host in a b; do start_daemon "$host"; done
pair a b
kairan_on a --json zone create files --container lab >/dev/null
wait_until 20 "the zone on b" kairan_on b --json zone show files

declare -A FOLDER=()    # host → the job (an nsenter) that waits for its kairan folder
folder_of() { printf '%s' "$LAB/$1/files"; }
# folder_on HOST ARGUMENTS…: kairan folder, with a state of the host's own.
folder_on() {
    local name=$1
    shift
    on "$name" env "KAIRAN_SOCKET=$(socket_of "$name")" "XDG_STATE_HOME=$LAB/$name/xdg" "$KAIRAN_BIN/kairan" folder "$@"
}
start_folder() {
    local ENTER
    enter "$1"
    "${ENTER[@]}" env "KAIRAN_SOCKET=$(socket_of "$1")" "XDG_STATE_HOME=$LAB/$1/xdg" "$KAIRAN_BIN/kairan" \
        folder "$(folder_of "$1")" files --json </dev/null >>"$LAB/$1/log/folder.log" 2>&1 &
    FOLDER[$1]=$!
}
# kill_folder HOST SIGNAL: ends the host's kairan folder.
kill_folder() {
    kill "-$2" "$(child_of "${FOLDER[$1]}")" || fail "kairan folder on $1 had ended: $(tail -n 3 "$LAB/$1/log/folder.log")"
    wait "${FOLDER[$1]}" 2>/dev/null || true
}
# listing HOST: all files of a folder with their contents and their marks of execution.
listing() {
    (cd "$(folder_of "$1")" && find . -type f ! -path './.kairan-*' ! -name '.kairan-part-*' -print0 | LC_ALL=C sort -z |
        xargs --null --no-run-if-empty sh -c 'for file; do [ -x "$file" ] && mark=x || mark=-; echo "$mark $(sha256sum <"$file") $file"; done' listing)
}
same_folders() { [ "$(listing a)" = "$(listing b)" ]; }
count_on() { listing "$1" | wc -l; }
has() { [ "$(cat "$(folder_of "$1")/$2" 2>/dev/null)" = "$3" ]; }
# in_zone HOST PATH TEXT: the record of a file has this content on a host.
in_zone() { [ "$(kairan_on "$1" asset get files "$2" content --output - 2>/dev/null)" = "$3" ]; }

for host in a b; do mkdir "$(folder_of "$host")"; done
"$PYTHON" -c '
import os, random, sys
random.seed("folder")
top = sys.argv[1]
for number in range(120):
    folder = os.path.join(top, f"tree/{number % 7}")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, f"file {number}"), "wb") as file:
        file.write(random.randbytes(random.choice([0, 10, 5_000, 70_000])))
with open(os.path.join(top, "film"), "wb") as file:
    file.write(random.randbytes(5 << 20))
' "$(folder_of a)"
printf 'echo tool\n' >"$(folder_of a)/tool"
chmod 755 "$(folder_of a)/tool"
printf 'only on b' >"$(folder_of b)/mine"
ln -s mine "$(folder_of b)/link"
for host in a b; do start_folder "$host"; done
wait_until 90 "equal folders" same_folders
[ "$(count_on b)" = 123 ] || fail "b has $(count_on b) files of 123"
grep -q '"event":"problem","path":"link"' "$LAB/b/log/folder.log" || fail "b does not report the link"
step "both have $(count_on a) files, of which b has written one"

printf 'from a' >"$(folder_of a)/letter"
printf 'from b' >"$(folder_of b)/tree/new"
mv "$(folder_of b)/tree/3" "$(folder_of b)/moved"
chmod 644 "$(folder_of b)/tool"
is_moved() { has b letter "from a" && has a tree/new "from b" && [ ! -e "$(folder_of a)/tree/3" ] && [ ! -x "$(folder_of a)/tool" ] && same_folders; }
wait_until 60 "the changes of both sides" is_moved
step "each has the changes of the other one, and the moved folder"

cut_off a b
for host in a b; do printf 'plan of %s' "$host" >"$(folder_of "$host")/letter"; done
for host in a b; do wait_until 30 "the version of $host in its zone" in_zone "$host" letter "plan of $host"; done
heal
conflict_files() { find "$(folder_of "$1")" -maxdepth 1 -name 'letter (conflict *)'; }
are_both_there() {
    [ "$(conflict_files a | wc -l)" = 1 ] && same_folders &&
        [ "$(cat "$(folder_of a)/letter" "$(conflict_files a)" | sed 's/bplan/b\nplan/; s/aplan/a\nplan/' | LC_ALL=C sort | tr '\n' ' ')" = "plan of a plan of b " ]
}
wait_until 90 "both versions of the letter on both" are_both_there
is_listed() { kairan_on "$1" --json conflicts files | is 'len(d) == 1 and d[0]["conflict_of"] == "letter"'; }
for host in a b; do wait_until 30 "the conflict file, and no other conflict, on $host" is_listed "$host"; done
step "both have both versions: $(basename "$(conflict_files b)")"

"$PYTHON" -c '
import os, random, sys
random.seed("large")
os.makedirs(sys.argv[1])
for number in range(300):
    with open(os.path.join(sys.argv[1], f"{number}"), "wb") as file:
        file.write(random.randbytes(30_000))
' "$(folder_of a)/large"
wait_until 60 "a part of the large tree on b" eval '[ "$(ls "$(folder_of b)/large" 2>/dev/null | wc -l)" -ge 20 ]'
for host in a b; do kill_folder "$host" KILL; done
kill_daemon b
[ "$(find "$(folder_of b)/large" -type f | wc -l)" -lt 300 ] || fail "b had everything when it was killed, so this test would be void"
rm "$(folder_of a)/film"
printf 'written while nothing ran' >"$(folder_of b)/mine"
start_daemon b
for host in a b; do start_folder "$host"; done
has_all() { [ "$(count_on b)" = 425 ] && has a mine "written while nothing ran" && same_folders; }
wait_until 120 "equal folders after kill -9" has_all
for host in a b; do
    [ -z "$(find "$(folder_of "$host")" -name '.kairan-part-*' ! -path '*/.kairan-trash/*')" ] || fail "parts of files stay on $host"
done
step "both have all $(count_on b) files after kill -9, and what was changed meanwhile"

folder_on b --json trash "$(folder_of b)" | is 'any(x["path"] == "film" and x["size"] == 5242880 for x in d)' || fail "the film is not in the trash of b"
folder_on b trash "$(folder_of b)" --restore film >/dev/null
wait_until 60 "the film on a again" test -s "$(folder_of a)/film"
wait_until 30 "equal folders" same_folders
step "the film was in the trash of b, and both have it again"

kill_folder a TERM
find "$(folder_of a)" -mindepth 1 -maxdepth 1 ! -name .kairan-folder -exec rm -r {} +
code=0
folder_on a "$(folder_of a)" files --once --json 2>"$LAB/a/log/refused.json" >/dev/null || code=$?
[ "$code" = 1 ] && is 'd["code"] == "folder.mass_deletion"' <"$LAB/a/log/refused.json" || fail "the emptied folder was not refused: $code"
mv "$(folder_of a)/.kairan-folder" "$LAB/a/marker"
code=0
folder_on a "$(folder_of a)" files --once --json 2>"$LAB/a/log/refused.json" >/dev/null || code=$?
[ "$code" = 1 ] && is 'd["code"] == "folder.unmarked"' <"$LAB/a/log/refused.json" || fail "the folder without its marker was not refused: $code"
mv "$LAB/a/marker" "$(folder_of a)/.kairan-folder"
holds_for 3 "b keeps its files" eval '[ "$(count_on b)" = 426 ]'
folder_on a "$(folder_of a)" files --once --confirm-deletions >/dev/null || fail "the confirmed deletions were not made"
wait_until 90 "an empty folder on b" eval '[ "$(count_on b)" = 0 ]'
# Parts of files that the killed program left are there as well.
folder_on b --json trash "$(folder_of b)" | is '{f"large/{n}" for n in range(300)} <= {x["path"] for x in d}' || fail "the trash of b lacks files"
step "the emptied folder deleted nothing unasked; with consent, the files of b are in its trash"

kill_folder b TERM
for host in a b; do stop_daemon "$host"; done
