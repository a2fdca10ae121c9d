#!/usr/bin/env bash
# Three people send each other messages. Each message is delivered until it is finished and never after that, despite kills; its
# sender sees its state; a message for one account cannot be read by the others, and nothing readable is on the wire.
. "$(dirname "$0")/defines.sh"
lab_up 3
for host in a b c; do start_daemon "$host"; done
account() { kairan_on "$1" --json status | json 'd["account"]'; }
alice=$(account a) bob=$(account b) carol=$(account c)
send_on() { kairan_on "$1" --json send "${@:2}" | json 'd["message"]'; }
# became MESSAGE STATE: a sees this state on all devices of bob.
became() {
    kairan_on a --json message show "$1" |
        is "(lambda s: s and s == {'$2'})({r['state'] for r in d['deliveries'] if r['account'] == '$bob'})"
}
# state_is HOST MESSAGE STATE
state_is() { kairan_on "$1" --json message ls chat | is "any(m['message'] == '$2' and m['state'] == '$3' for m in d)"; }
inbox_is_empty() { kairan_on "$1" --json inbox | is 'd == []'; }

listen_to_the_wire
kairan_on a --json zone create chat --container lab >/dev/null
# invite HOST: alice invites the account of HOST, which joins.
invite() {
    local link
    link=$(kairan_on a --json share invite chat --rights write | json 'd["link"]')
    kairan_on "$1" --json join "$link" | is 'd["state"] == "joined"' || fail "$1 has not joined"
    wait_until 20 "the zone on $1" kairan_on "$1" --json zone show chat
}
invite b
kairan_on b --json inbox --wait >"$LAB/b/inbox" &
waiting=$!
hello=$(send_on a chat "canary-hello, bob")
wait "$waiting" || fail "the wait for a message ended with an error"
json '[(m["message"], m["from"], m["text"]) for m in d]' <"$LAB/b/inbox" >"$LAB/b/came"
[ "$(cat "$LAB/b/came")" = "[[\"$hello\", \"$alice\", \"canary-hello, bob\"]]" ] || fail "b received $(cat "$LAB/b/came")"
wait_until 20 "a to see that b has the message" became "$hello" delivered
kairan_on b --json inbox finish "$hello" >/dev/null
wait_until 20 "a to see that b has read the message" became "$hello" read
inbox_is_empty b || fail "b receives a finished message again"
answer=$(send_on b chat "hello, alice" --reply-to "$hello")
kairan_on a --json inbox --wait | is "[(m['message'], m['reply_to'], m['from']) for m in d] == [('$answer', '$hello', '$bob')]" ||
    fail "a received another answer"
kairan_on a --json inbox finish "$answer" >/dev/null
step "a message was delivered, read and answered"

code=0
kairan_on a --json send chat "for nobody" --to "$carol" >"$LAB/a/refused" 2>&1 || code=$?
[ "$code" = 1 ] || fail "a message for an account that is not a member ends with $code"
grep -q '"message.not_member"' "$LAB/a/refused" || fail "refused for another reason: $(cat "$LAB/a/refused")"
step "a message to an account without the right to read is refused"

# A program on b that handles each message that it receives, and logs deliveries and confirmations in order. It does not
# know about the kills of its daemon.
log=$LAB/b/worked
: >"$log"
work() {
    local ids
    while true; do
        kairan_on b --json inbox --wait --limit 3 >"$LAB/b/work" 2>>"$LAB/b/log/work.log" || { sleep 0.1 && continue; }
        ids=$(json '" ".join(m["message"] for m in d)' <"$LAB/b/work")
        for id in $ids; do echo "handed $id" >>"$log"; done
        for id in $ids; do
            kairan_on b --json inbox finish "$id" >/dev/null 2>>"$LAB/b/log/work.log" && echo "finished $id" >>"$log"
        done
    done
}
work &
worker=$!
: >"$LAB/a/burst"
for number in {1..40}; do send_on a chat "canary-burst $number" >>"$LAB/a/burst" || exit 1; done &
burst=$!
has_worked() { [ "$(grep -c finished "$log")" -ge "$1" ]; }
for count in 3 11 19; do
    wait_until 60 "b to have finished $count" has_worked "$count"
    kill_daemon b
    start_daemon b
done
wait "$burst" || fail "a could not send all messages"
step "killed b three times while a sent 40 messages and b worked"

# Prints missing messages and violations.
worked() {
    "$PYTHON" -c '
import sys
sent, handed, finished = open(sys.argv[1]).read().split(), set(), set()
for line in open(sys.argv[2]):
    what, message = line.split()
    if what == "finished":
        finished.add(message)
    elif message in finished:
        sys.exit(f"{message} was delivered after it was finished")
    else:
        handed.add(message)
assert len(sent) == len(set(sent)) == 40, sent
missing = set(sent) - handed
if missing or handed - set(sent):
    sys.exit(f"not delivered: {missing}; delivered and not sent: {handed - set(sent)}")
' "$LAB/a/burst" "$log" 2>&1
}
wait_until 60 "all 40 to be delivered" worked
wait_until 20 "an empty inbox on b" inbox_is_empty b
kill "$worker"
worked >/dev/null || fail "$(worked)"
all_read() { local id && for id in $(cat "$LAB/a/burst"); do became "$id" read || return 1; done; }
wait_until 60 "a to see all 40 as read" all_read
[ "$(grep -c handed "$log")" -ge 40 ] || fail "a log of $(wc -l <"$log") lines cannot show 40 messages"
step "all 40 were delivered ($(grep -c handed "$log") times), none after it was finished, and a sees all as read"

stop_daemon a
late=$(send_on b chat "canary-late, alice")
wait_until 10 "b to have sent its message" state_is b "$late" sent
start_daemon a
wait_until 30 "the message on a, which was off when it was sent" state_is a "$late" waiting
kairan_on a --json inbox | is "[m['text'] for m in d] == ['canary-late, alice']" || fail "another message waits on a"
step "a was off, and has the message that b sent meanwhile"

invite c
public=$(send_on a chat "canary-public, all")
secret=$(send_on a chat "canary-secret, bob" --to "$bob")
wait_until 30 "the message for all on c" state_is c "$public" waiting
wait_until 30 "c to see the message for b" state_is c "$secret" for_others
wait_until 30 "the message for b alone on b" state_is b "$secret" waiting
kairan_on b --json inbox | is "any(m['message'] == '$secret' and m['text'] == 'canary-secret, bob' and m['to'] == ['$bob'] for m in d)" ||
    fail "b cannot read the message for b"
kairan_on c --json message ls chat |
    is "all(m.get('text') is None and m.get('data') is None for m in d if m['message'] == '$secret')" || fail "c can read the message for b"
kairan_on c --json inbox | is "all(m['message'] != '$secret' for m in d)" || fail "c receives the message for b"
kairan_on a --json message show "$secret" | is "all(r['account'] == '$bob' for r in d['deliveries'])" || fail "c is asked for a receipt"
kairan_on c export chat >"$LAB/c/export"
if grep -q canary-secret "$LAB/c/export"; then fail "c can export the message for b"; fi
stop_daemon c
if grep -q -r canary-secret "$(state_of c)"; then fail "c has the text of the message for b"; fi
grep -q -r canary-public "$(state_of c)" || fail "the search does not find text that is present, so this test would be void"
step "c stores the message for b, and cannot read it"

nothing_on_the_wire 'canary-[a-z]*'
step "$(stat -c %s "$LAB/wire") bytes on the wire, without any text of the messages"
