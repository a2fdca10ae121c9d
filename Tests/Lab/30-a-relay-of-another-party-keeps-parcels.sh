#!/usr/bin/env bash
# a and b are one account and are never on at the same time. The relay is a machine of another party that keeps parcels for them: a writes, sends a message,
# and switches off; the relay is killed and restarted; b gets everything from it, once, and switches off; a sees that b has read the message. The relay can read nothing.
. "$(dirname "$0")/defines.sh"
lab_up 3
for host in a b; do start_daemon "$host"; done
start_daemon c --relay --no-mdns
pair a b
kairan_on a --json zone create notes --container lab >/dev/null
kairan_on a --json put notes before text=before >/dev/null
converged 30 notes a b

kairan_on a --json relay ls | is 'd == []' || fail "a uses a relay without being configured for one"
kairan_on a --json relay usage >/dev/null 2>"$LAB/refused" && fail "a keeps parcels without being configured as a relay"
grep -q -- --relay "$LAB/refused" || fail "the refusal does not name the option --relay: $(cat "$LAB/refused")"
link=$(kairan_on c relay admit "a and b" --quota 50000000 2>/dev/null)
kairan_on a --json relay use "$link" >/dev/null
stands() { kairan_on "$1" --json relay ls | is "[(r['state'], r['backend'], r['quota_bytes']) for r in d] == [('$2', 'sqlite', 50000000)]"; }
for host in a b; do wait_until 30 "$host to use the relay" stands "$host" connected; done
[ "$(on c ss -Htln 'sport = :7620' | wc -l)" -ge 1 ] || fail "the relay does not listen on the port of its links"
step "both use the relay of another party"

stop_daemon b
step "b is off"
for number in $(seq 20); do kairan_on a --json put notes "canary $number" text="canary-$number" >/dev/null; done
kairan_on a --json rm notes before >/dev/null
line=$(kairan_on a --json send notes "canary-line" | json 'd["message"]')
became() { kairan_on a --json message show "$line" | is "[r['state'] for r in d['deliveries']] == ['$1']"; }
became queued || fail "a message that no device has is shown as $(kairan_on a --json message show "$line")"
wait_until 40 "the line to be relayed" became relayed
kairan_on c --json relay usage | is 'd[0]["parcels"] >= 1 and d[0]["stored_bytes"] > 4096 and d[0]["name"] == "a and b"' ||
    fail "the relay keeps $(kairan_on c --json relay usage)"
kairan_on a --json relay ls | is 'd[0]["waiting"] >= 1' || fail "a does not show waiting parcels"
stop_daemon a
step "the relay keeps the parcels for b, and a is off"

kill_daemon c
if grep -q -r canary- "$(state_of c)"; then fail "the relay has readable text on its disk"; fi
start_daemon c --relay --no-mdns
start_daemon b
wait_until 60 "all records on b" field_is b notes "canary 20" text canary-20
for number in $(seq 19); do field_is b notes "canary $number" text "canary-$number" || fail "canary $number is not on b"; done
if has_record b notes before >/dev/null 2>&1; then fail "a deleted record is present"; fi
wait_until 20 "the line on b" eval "kairan_on b --json inbox | is \"[m['message'] for m in d] == ['$line']\""
kairan_on b --json inbox finish "$line" >/dev/null
kairan_on b --json inbox | is 'd == []' || fail "the line is delivered again"
step "b has everything from the relay, which was killed meanwhile"
# b's receipts are left for a; the parcels that b fetched are removed.
wait_until 40 "b's answer on the relay" eval "kairan_on b --json relay ls | is 'd[0][\"waiting\"] >= 1'"
kairan_on b --json put notes answer text=yes >/dev/null
wait_until 40 "b's answer on the relay" eval "kairan_on b --json relay ls | is 'd[0][\"waiting\"] >= 2'"
stop_daemon b

start_daemon a
wait_until 60 "a to see that b has read it" became read
wait_until 30 "b's answer on a" field_is a notes answer text yes
# b has removed the parcels that it acknowledged; its own parcels wait for a's acknowledgement.
wait_until 30 "a to have nothing waiting" eval "kairan_on a --json relay ls | is 'd[0][\"waiting\"] <= 1'"
step "a learns of it from the relay"

admission=$(kairan_on c --json relay usage | json 'd[0]["admission"]')
kairan_on c --json relay dismiss "$admission" --yes >/dev/null
kairan_on c --json relay usage | is 'd == []' || fail "the admission still exists"
stop_daemon a
start_daemon a
wait_until 30 "a to be refused" eval "kairan_on a --json relay ls | is 'd[0][\"state\"] == \"refused\"'"
relay=$(kairan_on a --json relay ls | json 'd[0]["relay"]')
kairan_on a --json relay forget "${relay:0:8}" >/dev/null
kairan_on a --json relay ls | is 'd == []' || fail "the removed relay is still used"
start_daemon b
converged 60 notes a b
step "without the relay the two connect directly, and are equal"
