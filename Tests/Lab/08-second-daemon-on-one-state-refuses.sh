#!/usr/bin/env bash
# Two daemons on one state directory would assign the same counters twice. The second must refuse to start, without an effect on
# the first. Its exit code is 75, so that the service manager tries again, since the first one may be about to end; errors that
# another start cannot change have other exit codes.
. "$(dirname "$0")/defines.sh"
lab_up 1
start_daemon a

# exits CODE WHAT ARGUMENTS…: kairand with these arguments ends by itself, with this code.
exits() {
    local wanted=$1 what=$2 code=0
    shift 2
    on a timeout 20 "$KAIRAN_BIN/kairand" "$@" </dev/null >"$LAB/second.log" 2>&1 || code=$?
    if [ "$code" != "$wanted" ]; then
        tail -n 5 "$LAB/second.log" >&2
        fail "$what: exit code $code, not $wanted"
    fi
    [ -s "$LAB/second.log" ] || fail "$what: no message"
    step "$what: exit code $wanted"
}

exits 75 "a state directory in use" --state "$(state_of a)" --socket "$LAB/a/run/second.sock"
daemon_is_ready a || fail "the first daemon is not ready after the attempt"
kairan_on a --json zone create notes --container lab >/dev/null
kairan_on a --json put notes still text=here >/dev/null
step "the first daemon still works"

: >"$LAB/a/a-file"
exits 73 "a state directory that is a file" --state "$LAB/a/a-file" --socket "$LAB/a/run/third.sock"
exits 64 "an unknown option" --state "$LAB/a/other" --socket "$LAB/a/run/third.sock" --no-such-option
exits 64 "an address that is none" --state "$LAB/a/other" --socket "$LAB/a/run/third.sock" --listen nonsense

# A lock must not outlive its owner.
kill_daemon a
start_daemon a
field_is a notes still text here || fail "the record is gone"
step "after a kill -9 the state directory can be used again"
