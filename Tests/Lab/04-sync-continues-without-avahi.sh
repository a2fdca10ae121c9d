#!/usr/bin/env bash
# mDNS is needed only to find addresses. With Avahi dead on both sides, sessions continue, and a restarted daemon reconnects
# by the last known address. If that address is outdated, the daemons reconnect as soon as Avahi runs again.
. "$(dirname "$0")/defines.sh"
lab_up 2
start_daemon a
start_daemon b
pair a b
kairan_on a --json zone create notes --container lab >/dev/null
kairan_on a --json put notes first text=1 >/dev/null
converged 30 notes a b

kill_avahi a
kill_avahi b
kairan_on a --json put notes second text=2 >/dev/null
wait_until 10 "a record over the existing session" field_is b notes second text 2
step "the session continues without Avahi"

stop_daemon b
kairan_on a --json put notes third text=3 >/dev/null
start_daemon b
wait_until 60 "the restarted b to reach a at its last known address" field_is b notes third text 3
step "b reconnected by the last known address"

# Both restart, and both listen on new ports, which the other does not know.
stop_daemon a
stop_daemon b
start_daemon a
start_daemon b
kairan_on a --json put notes fourth text=4 >/dev/null
start_avahi a
start_avahi b
wait_until 60 "the two to find each other again" connected b a
wait_until 20 "the record on b" field_is b notes fourth text 4
step "Avahi runs again, and the two are connected again"

# A crash loop of Avahi does not stop the synchronisation.
for _ in 1 2 3; do
    kill_avahi a
    start_avahi a
done
kairan_on b --json put notes fifth text=5 >/dev/null
wait_until 20 "b's record on a" field_is a notes fifth text 5
converged 20 notes a b
