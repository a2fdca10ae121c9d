#!/usr/bin/env bash
# A token for two uses is copied to three machines before their daemons run for the first time. Without input from a person, two
# of them join the account and remove the file; the third and last one reports that the token is used up. The device that made the
# token is restarted in between.
. "$(dirname "$0")/defines.sh"
lab_up 4
start_daemon a
kairan_on a --json zone create notes --container lab >/dev/null
kairan_on a --json put notes one text=here >/dev/null
kairan_on a --json account enrolment-token --uses 2 --expires 1h --output "$LAB/token" >"$LAB/a/token.json"
[ "$(stat -c %a "$LAB/token")" = 600 ] || fail "other users can read the token's file"
grep -q ENROL "$LAB/a/token.json" && fail "the token is shown although it was written to a file"
put_token() {
    install -d -m 700 "$(state_of "$1")"
    install -m 600 "$LAB/token" "$(state_of "$1")/enrolment-token"
}
for host in b c d; do put_token "$host"; done

account=$(kairan_on a --json status | json 'd["account"]')
in_account() { kairan_on "$1" --json status | is "d['account'] == '$account'"; }
start_daemon b
wait_until 60 "b to be in the account" in_account b
kill_daemon a
start_daemon a
start_daemon c
wait_until 60 "c to be in the account" in_account c
for host in b c; do
    wait_until 10 "$host to have removed the token" eval "! test -e '$(state_of "$host")/enrolment-token'"
    wait_until 30 "a and $host to be connected" connected a "$host"
done
converged 30 notes a b c
step "b and c joined by themselves, and have the record"

start_daemon d
used_up() { kairan_on "$1" --json status | is 'any(w["code"] == "enrolment.file" and "as many machines" in w["message"] for w in d["health"])'; }
wait_until 60 "d to report that the token is used up" used_up d
! in_account d || fail "d is in the account"
test -e "$(state_of d)/enrolment-token" || fail "d removed the file although it did not join"
[ "$(kairan_on a --json device ls | json 'len(d)')" = 3 ] || fail "a does not list three devices"
step "d came last and is refused: the token had two uses"
