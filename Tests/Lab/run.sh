#!/usr/bin/env bash
# Runs the lab's tests, two at a time, and prints a table.
#
#   Tests/Lab/run.sh              all of them
#   Tests/Lab/run.sh 03 11        those whose names begin with these
#   Tests/Lab/run.sh -v 05        with their output while they run, one after the other
#
# KAIRAN_BIN names the folder with kairand and kairan (default: .build/debug), LAB_JOBS how many run at a time. Exit code: 0 all passed, 1 some failed,
# 77 the lab cannot run on this machine, which is not a pass.
set -uo pipefail
# shellcheck source=Tests/Lab/defines.sh
. "$(dirname "${BASH_SOURCE[0]}")/defines.sh"
set +e

verbose=
if [ "${1:-}" = -v ]; then
    verbose=1
    shift
fi
lab_check_machine
require_programs

for wanted in "$@"; do
    compgen -G "$LAB_FOLDER/$wanted*.sh" >/dev/null || { echo "no lab test is named $wanted" >&2; exit 64; }
done
tests=()
for test in "$LAB_FOLDER"/[0-9][0-9]-*.sh; do
    [ $# -gt 0 ] || tests+=("$test")
    for wanted in "$@"; do [[ $(basename "$test") = "$wanted"* ]] && tests+=("$test") && break; done
done
[ ${#tests[@]} -gt 0 ] || { echo "no lab test is named $*" >&2; exit 64; }

logs=$(mktemp -d /tmp/kairan-lab-logs.XXXXXX)
at_a_time=${LAB_JOBS:-2}
[ -z "$verbose" ] || at_a_time=1

# one TEST: runs it, prints its result, and writes its exit code and its row of the table to files.
one() {
    local test=$1 name started code seconds result row
    name=$(basename "$test" .sh)
    started=${EPOCHREALTIME/[.,]/}
    [ -z "$verbose" ] || echo "== $name"
    # A test that hangs is a failure. It gets ten seconds to print the condition that it was waiting for.
    if [ -n "$verbose" ]; then
        timeout --foreground --kill-after=10 "${TEST_SECONDS:-300}" bash "$test" 2>&1 </dev/null | tee "$logs/$name.log"
        code=${PIPESTATUS[0]}
    else
        timeout --foreground --kill-after=10 "${TEST_SECONDS:-300}" bash "$test" >"$logs/$name.log" 2>&1 </dev/null
        code=$?
    fi
    seconds=$(((${EPOCHREALTIME/[.,]/} - started) / 100000))
    case $code in
        0) result=passed ;;
        "$LAB_NOT_RUN") result="NOT run" ;;
        124 | 137) result="FAILED (took too long)" ;;
        *) result=FAILED ;;
    esac
    row=$(printf '%5d.%d s  %-58s %s' $((seconds / 10)) $((seconds % 10)) "$name" "$result")
    if [ -z "$verbose" ]; then
        echo "$row"
        [ "$result" = passed ] || sed 's/^/    | /' "$logs/$name.log"
    fi
    echo "$row" >"$logs/$name.row"
    echo "$code" >"$logs/$name.code"
}

# Processes in the background do not receive Ctrl-C.
trap 'trap - INT TERM; kill 0' INT TERM
for test in "${tests[@]}"; do
    # Tests run in parallel: each has its own machines, and waits most of the time.
    while [ "$(jobs -rp | wc -l)" -ge "$at_a_time" ]; do wait -n; done
    one "$test" &
done
wait

passed=0 failed=0 not_run=0 table=()
for test in "${tests[@]}"; do
    name=$(basename "$test" .sh)
    table+=("$(cat "$logs/$name.row")")
    code=$(cat "$logs/$name.code")
    case $code in
        0) passed=$((passed + 1)) ;;
        "$LAB_NOT_RUN") not_run=$((not_run + 1)) ;;
        *) failed=$((failed + 1)) ;;
    esac
done

if [ -n "$verbose" ] || [ "$failed" -gt 0 ] || [ "$not_run" -gt 0 ]; then
    echo
    printf '%s\n' "${table[@]}"
fi
if [ "$failed" -gt 0 ]; then echo "logs: $logs"; else rm -rf "$logs"; fi
echo "$passed passed, $failed failed, $not_run not run"
[ "$failed" = 0 ] || exit 1
[ "$not_run" = 0 ] || exit "$LAB_NOT_RUN"
