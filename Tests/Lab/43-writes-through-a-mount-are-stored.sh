#!/usr/bin/env bash
# A zone is mounted with --writable on a, and programs write there. What close and fsync returned success for arrives on b, byte for byte: 200 files, also where the daemon
# of a is killed while they are written, and the program tries each failed one again. Where kairan-mount itself is killed, each file that fsync returned for is there.
. "$(dirname "$0")/defines.sh"
[ -c /dev/fuse ] || lab_not_run "there is no /dev/fuse ('modprobe fuse' makes it)"
command -v fusermount3 >/dev/null || lab_not_run "fusermount3 is missing ('scripts/setup' installs it)"
[ -x "$KAIRAN_BIN/kairan-mount" ] || fail "$KAIRAN_BIN/kairan-mount is not built"
lab_up 2
for host in a b; do start_daemon "$host"; done
pair a b
kairan_on a --json zone create files --container lab >/dev/null
wait_until 20 "the zone on b" kairan_on b --json zone show files

FOLDER=/run/files
for host in a b; do on "$host" mkdir "$FOLDER"; done
XDG_STATE_HOME="$LAB/a/mount-state" kairan_on a mount files "$FOLDER" --writable | grep -q "Mounted files at $FOLDER" || fail "kairan mount does not say where the zone is"
kairan_on b mount files "$FOLDER" >/dev/null

# write FIRST COUNT LEDGER: writes files, and notes each one with its digest once fsync and close have returned success. A failed one is tried again, until the mount is gone.
write() {
    on a "$PYTHON" -c '
import errno, hashlib, os, random, sys, time
folder, first, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
random.seed(first)
device = os.stat(folder).st_dev
for number in range(first, first + count):
    name = "d%d/f%d" % (number % 7, number)
    data = random.randbytes(random.randrange(0, 200000))
    end = time.monotonic() + 120
    while True:
        try:
            os.makedirs(os.path.dirname(folder + "/" + name), exist_ok=True)
            file = os.open(folder + "/" + name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
            try:
                if os.fstat(file).st_dev != device:
                    sys.exit(3)
                view = memoryview(data)
                while view:
                    view = view[os.write(file, view):]
                os.fsync(file)
            finally:
                os.close(file)
            break
        except OSError as error:
            if error.errno in (errno.ENOTCONN, errno.ECONNABORTED):
                sys.exit(3)
            if time.monotonic() > end:
                sys.exit("%s: %s" % (name, error))
            time.sleep(0.2)
    print(hashlib.sha256(data).hexdigest() + "  " + name, flush=True)
' "$FOLDER" "$1" "$2" >>"$3"
}
# same_on HOST LEDGER [FOLDER]: all files of the ledger are on the host, through its mount.
same_on() { on "$1" sh -c "cd ${3:-$FOLDER} && sha256sum --quiet -c -" <"$2" >/dev/null 2>&1; }

write 0 100 "$LAB/first"
[ "$(wc -l <"$LAB/first")" = 100 ] || fail "not all files were written"
wait_until 60 "100 files on b" same_on b "$LAB/first"
same_on a "$LAB/first" || fail "a has other files than were written"
step "100 files that were written through the mount of a are equal on b"

write 100 100 "$LAB/second" &
writer=$!
lines() { [ "$(wc -l <"$LAB/second")" -ge "$1" ]; }
wait_until 60 "twenty files to be written" lines 20
kill_daemon a
start_daemon a
wait "$writer" || fail "a file could not be written although the daemon of a is back"
[ "$(wc -l <"$LAB/second")" = 100 ] || fail "not all files were written"
wait_until 60 "a and b to be connected" connected b a
wait_until 120 "200 files on b" same_on b "$LAB/second"
same_on b "$LAB/first" || fail "the first files on b have changed"
conflicts=$(on b find "$FOLDER" -name '*(conflict *')
[ -z "$conflicts" ] || fail "there are conflict files: $conflicts"
step "kill -9 of the daemon while 100 files were written: each one that fsync returned for is equal on b"

write 200 1000 "$LAB/third" 2>/dev/null &
writer=$!
lines_of_third() { [ "$(wc -l <"$LAB/third")" -ge 10 ]; }
wait_until 60 "ten files to be written" lines_of_third
on a sh -c 'kill -9 $(pgrep -x kairan-mount)'
code=0
wait "$writer" || code=$?
[ "$code" = 3 ] || fail "the writer ended with $code although kairan-mount was killed"
# libfuse unmounts the folder by itself, a moment later; another one is empty for certain.
AGAIN=/run/files-again
on a mkdir "$AGAIN"
XDG_STATE_HOME="$LAB/a/mount-state" kairan_on a mount files "$AGAIN" --writable >/dev/null
same_on a "$LAB/third" "$AGAIN" || fail "a file is missing that fsync returned for before kairan-mount was killed"
wait_until 60 "the same files on b" same_on b "$LAB/third"
step "kill -9 of kairan-mount: the $(wc -l <"$LAB/third") files that fsync returned for are there"

on a sh -c "echo of-a >$AGAIN/last"
wait_until 60 "the file on b" on b test -e "$FOLDER/last"
[ "$(on b cat "$FOLDER/last")" = of-a ] || fail "b reads another text"
! on b sh -c "echo x >$FOLDER/last" 2>/dev/null || fail "the mount of b is writable, which nobody asked for"
step "a mount without --writable stays read-only"

on a fusermount3 -u "$AGAIN"
on b fusermount3 -u "$FOLDER"
