#!/usr/bin/env bash
# Runs the lab's tests, one after the other, and prints a table.
#
#   Tests/Lab/run.sh              all of them
#   Tests/Lab/run.sh 03 11        those whose names begin so
#   Tests/Lab/run.sh -v 05        with what they print while they run
#
# KAIRAN_BIN names the folder with kairand and kairan (default: .build/debug). Exit code: 0 all passed, 1 some failed,
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

tests=()
for test in "$LAB_FOLDER"/[0-9][0-9]-*.sh; do
    [ $# -gt 0 ] || tests+=("$test")
    for wanted in "$@"; do [[ $(basename "$test") = "$wanted"* ]] && tests+=("$test") && break; done
done
[ ${#tests[@]} -gt 0 ] || { echo "no lab test is named $*" >&2; exit 64; }

logs=$(mktemp -d /tmp/kairan-lab-logs.XXXXXX)
passed=0 failed=0 table=()
for test in "${tests[@]}"; do
    name=$(basename "$test" .sh)
    started=${EPOCHREALTIME/[.,]/}
    [ -z "$verbose" ] || echo "== $name"
    # A test that hangs is a failure like any other. It gets ten seconds to say what it was waiting for.
    if [ -n "$verbose" ]; then
        timeout --foreground --kill-after=10 "${TEST_SECONDS:-300}" bash "$test" 2>&1 </dev/null | tee "$logs/$name.log"
        code=${PIPESTATUS[0]}
    else
        timeout --foreground --kill-after=10 "${TEST_SECONDS:-300}" bash "$test" >"$logs/$name.log" 2>&1 </dev/null
        code=$?
    fi
    seconds=$(((${EPOCHREALTIME/[.,]/} - started) / 100000))
    case $code in
        0) result=passed passed=$((passed + 1)) ;;
        "$LAB_NOT_RUN") cat "$logs/$name.log" >&2; exit "$LAB_NOT_RUN" ;;
        124 | 137) result="FAILED (took too long)" failed=$((failed + 1)) ;;
        *) result=FAILED failed=$((failed + 1)) ;;
    esac
    row=$(printf '%5d.%d s  %-58s %s' $((seconds / 10)) $((seconds % 10)) "$name" "$result")
    table+=("$row")
    [ -n "$verbose" ] || echo "$row"
    if [[ $result != passed && -z $verbose ]]; then sed 's/^/    | /' "$logs/$name.log"; fi
done

if [ -n "$verbose" ] || [ "$failed" -gt 0 ]; then
    echo
    printf '%s\n' "${table[@]}"
fi
if [ "$failed" -gt 0 ]; then echo "logs: $logs"; else rm -rf "$logs"; fi
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
