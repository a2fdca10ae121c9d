#!/usr/bin/env bash
# A firewall on one machine admits only mDNS. The other machine reports that it sees that machine and cannot reach it, with the cause and
# the remedy, and connects as soon as the firewall admits the port.
. "$(dirname "$0")/defines.sh"
lab_up 2
start_daemon a
start_daemon b
pair a b
wait_until 10 "b to be connected" connected a b
port=$(kairan_on b --json status | json 'd["listening_port"]')
[ "$port" = 7621 ] || fail "b listens on port $port instead of the fixed one, which firewall rules name"
step "paired, and b listens on 7621"

silent() { kairan_on a --json peers | is 'd[0]["state"] == "connected" and d[0]["silence_ms"] >= 5000'; }
cut_off a b
wait_until 10 "a's report that b does not answer" silent
heal
wait_until 45 "b to be connected again" connected a b
step "a reports within ten seconds that b does not answer"

on b nft add table inet fw
on b nft add chain inet fw in '{ type filter hook input priority 0; }'
on b nft add rule inet fw in meta l4proto tcp drop
state_of_b() { kairan_on a --json peers | json 'd[0]["state"]'; }
is_unreachable() { [ "$(state_of_b)" = unreachable ]; }
# Established connections are dropped as well, as after a restart of both.
stop_daemon a
start_daemon a
# Each dial of a now gets no answer, and takes ten seconds.
wait_until 40 "a's report that b is visible and unreachable" is_unreachable
warns() { kairan_on a --json status | is '"peer.unreachable" in [h["code"] for h in d["health"]]'; }
wait_until 30 "a's warning" warns
kairan_on a --json peers | is '"7621" in d[0]["trouble"]["fix"] and d[0]["trouble"]["error"] == "no answer in time"' \
    || fail "a does not name the cause and the port"
kairan_on a peers | grep -q "open TCP port 7621" || fail "the table does not say what to do"
code=0
kairan_on a --json doctor > "$LAB/doctor.json" || code=$?
[ "$code" = 1 ] || fail "the doctor ends with $code although a firewall blocks the port"
is 'any(c["code"] == "peers.reachable" and not c["ok"] and "7621" in c["fix"] for c in d)' < "$LAB/doctor.json" \
    || fail "the doctor does not name the firewall"
step "a names the firewall, and so does its doctor"

on b nft delete table inet fw
wait_until 45 "b to be connected again" connected a b
calm() { ! warns; }
wait_until 5 "the end of a's warning" calm
