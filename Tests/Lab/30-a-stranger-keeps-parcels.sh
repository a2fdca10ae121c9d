#!/usr/bin/env bash
# a and b are one account and are never on together again. r is somebody else's machine that keeps parcels for them: a writes and sends a message, and goes
# off; r is killed and comes back; b has everything from r, once, and goes off; a comes back and sees that b has read it. r has nothing that could be read.
. "$(dirname "$0")/defines.sh"
lab_up 3
for host in a b; do start_daemon "$host"; done
start_daemon c --relay --no-mdns
pair a b
kairan_on a --json zone create notes --container lab >/dev/null
kairan_on a --json put notes before text=before >/dev/null
converged 30 notes a b

kairan_on a --json relay ls | is 'd == []' || fail "a uses a relay that nobody named"
kairan_on a --json relay usage >/dev/null 2>"$LAB/refused" && fail "a keeps parcels though nobody said so"
grep -q -- --relay "$LAB/refused" || fail "a does not say how it becomes a relay: $(cat "$LAB/refused")"
link=$(kairan_on c relay admit "a and b" --quota 50000000 2>/dev/null)
kairan_on a --json relay use "$link" >/dev/null
stands() { kairan_on "$1" --json relay ls | is "[(r['state'], r['backend'], r['quota_bytes']) for r in d] == [('$2', 'sqlite', 50000000)]"; }
for host in a b; do wait_until 30 "$host to use the relay" stands "$host" connected; done
[ "$(on c ss -Htln 'sport = :7620' | wc -l)" -ge 1 ] || fail "the relay does not listen where links say"
step "both use the relay of somebody else"

stop_daemon b
step "b is off"
for number in $(seq 20); do kairan_on a --json put notes "canary $number" text="canary-$number" >/dev/null; done
kairan_on a --json rm notes before >/dev/null
line=$(kairan_on a --json send notes "canary-line" | json 'd["message"]')
became() { kairan_on a --json message show "$line" | is "[r['state'] for r in d['deliveries']] == ['$1']"; }
became queued || fail "what nobody has is shown as $(kairan_on a --json message show "$line")"
wait_until 40 "the line to be relayed" became relayed
kairan_on c --json relay usage | is 'd[0]["parcels"] >= 1 and d[0]["stored_bytes"] > 4096 and d[0]["name"] == "a and b"' ||
    fail "the relay keeps $(kairan_on c --json relay usage)"
kairan_on a --json relay ls | is 'd[0]["waiting"] >= 1' || fail "a does not say that something waits"
stop_daemon a
step "the relay keeps what is for b, and a is off"

kill_daemon c
if grep -q -r canary- "$(state_of c)"; then fail "the relay has it on its disk"; fi
start_daemon c --relay --no-mdns
start_daemon b
wait_until 60 "all records on b" field_is b notes "canary 20" text canary-20
for number in $(seq 19); do field_is b notes "canary $number" text "canary-$number" || fail "canary $number is not on b"; done
if has_record b notes before >/dev/null 2>&1; then fail "what was deleted is there"; fi
wait_until 20 "the line on b" eval "kairan_on b --json inbox | is \"[m['message'] for m in d] == ['$line']\""
kairan_on b --json inbox finish "$line" >/dev/null
kairan_on b --json inbox | is 'd == []' || fail "the line is handed out again"
step "b has everything from the relay, which was killed meanwhile"
# What b says of it is left for a; what b took is gone.
wait_until 40 "b's answer on the relay" eval "kairan_on b --json relay ls | is 'd[0][\"waiting\"] >= 1'"
kairan_on b --json put notes answer text=yes >/dev/null
wait_until 40 "b's answer on the relay" eval "kairan_on b --json relay ls | is 'd[0][\"waiting\"] >= 2'"
stop_daemon b

start_daemon a
wait_until 60 "a to see that b has read it" became read
wait_until 30 "b's answer on a" field_is a notes answer text yes
# What b has acknowledged a needs there no more, and b has taken it away; b's own waits for a's acknowledgement.
wait_until 30 "a to have nothing waiting" eval "kairan_on a --json relay ls | is 'd[0][\"waiting\"] <= 1'"
step "a hears of it from the relay"

admission=$(kairan_on c --json relay usage | json 'd[0]["admission"]')
kairan_on c --json relay dismiss "$admission" --yes >/dev/null
kairan_on c --json relay usage | is 'd == []' || fail "the admission is there"
stop_daemon a
start_daemon a
wait_until 30 "a to be refused" eval "kairan_on a --json relay ls | is 'd[0][\"state\"] == \"refused\"'"
relay=$(kairan_on a --json relay ls | json 'd[0]["relay"]')
kairan_on a --json relay forget "${relay:0:8}" >/dev/null
kairan_on a --json relay ls | is 'd == []' || fail "the relay is used"
start_daemon b
converged 60 notes a b
step "without the relay the two meet as before, and are equal"
