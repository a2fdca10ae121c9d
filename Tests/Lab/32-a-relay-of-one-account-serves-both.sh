#!/usr/bin/env bash
# a and b are two people who share a zone, and are never on at the same time. c is a machine of another party that keeps parcels for a; b learns of it by
# the zone. a sends and writes, and switches off; b gets everything, once, and answers; a sees that b has read it. Neither c's disk nor the wire identifies them.
. "$(dirname "$0")/defines.sh"
lab_up 3
for host in a b; do start_daemon "$host"; done
start_daemon c --relay --no-mdns
listen_to_the_wire
account() { kairan_on "$1" --json status | json 'd["account"]'; }
alice=$(account a) bob=$(account b)
kairan_on a --json zone create chat --container lab >/dev/null
link=$(kairan_on a --json share invite chat --rights write | json 'd["link"]')
kairan_on b --json join "$link" | is 'd["state"] == "joined"' || fail "b has not joined"
wait_until 20 "the zone on b" kairan_on b --json zone show chat

relay=$(kairan_on c relay admit "a" --quota 64000000 2>/dev/null)
kairan_on a --json relay use "$relay" >/dev/null
wait_until 90 "b to use the relay of a" \
    eval "kairan_on b --json relay ls | is \"[(r['state'], r['own'], r['accounts'], r['quota_bytes']) for r in d] == [('connected', False, ['$alice'], 4000000)]\""
wait_until 30 "a to know that b does" eval "kairan_on a --json relay ls | is \"[(r['own'], r['accounts']) for r in d] == [(True, ['$bob'])]\""
kairan_on c --json relay usage | is '[u["passes"] for u in d] == [1]' || fail "the relay reports $(kairan_on c --json relay usage)"
step "b uses the relay of a by a pass"

# Their ids, in bytes and in text.
devices=$(for host in a b; do kairan_on "$host" --json device ls | json '" ".join(x["device"] for x in d)'; done)
stop_daemon b
for number in $(seq 20); do kairan_on a --json put chat "note $number" text="canary-$number" >/dev/null; done
kairan_on a --json zone create diary --container lab >/dev/null
kairan_on a --json put diary "day 1" text=canary-diary >/dev/null
line=$(kairan_on a --json send chat "canary-line" | json 'd["message"]')
became() { kairan_on a --json message show "$line" | is "{r['state'] for r in d['deliveries'] if r['account'] == '$bob'} == {'$1'}"; }
wait_until 60 "the line to be relayed" became relayed
stop_daemon a
kill_daemon c
start_daemon c --relay --no-mdns
start_daemon b
wait_until 90 "all records on b" field_is b chat "note 20" text canary-20
for number in $(seq 19); do field_is b chat "note $number" text "canary-$number" || fail "note $number is not on b"; done
wait_until 20 "the line on b" eval "kairan_on b --json inbox | is \"[(m['message'], m['from']) for m in d] == [('$line', '$alice')]\""
kairan_on b --json inbox finish "$line" >/dev/null
kairan_on b --json zone ls | is "'diary' not in [z['name'] for z in d]" || fail "b learned of a zone that is not shared"
step "b has it from the relay, which was killed meanwhile"

# b first acknowledges the fetched parcels, and then deposits its answer.
wait_until 60 "b's acknowledgement on the relay" eval "kairan_on b --json relay ls | is 'd[0][\"waiting\"] >= 1'"
kairan_on b --json put chat answer text=canary-answer >/dev/null
wait_until 60 "b's answer on the relay" eval "kairan_on b --json relay ls | is 'd[0][\"waiting\"] >= 2'"
kairan_on c --json relay usage | is 'd[0]["pass_bytes"] > 8192' || fail "b's parcels do not count for the pass: $(kairan_on c --json relay usage)"
stop_daemon b
start_daemon a
wait_until 90 "a to see that b has read it" became read
wait_until 30 "b's answer on a" field_is a chat answer text canary-answer
step "a learns of it from the relay"

zone=$(kairan_on a --json zone show chat | json 'd["zone"]')
mkdir "$LAB/relay-disk"
cp -r "$(state_of c)"/relay* "$LAB/relay-disk/"
# shellcheck disable=SC2086
python3 - "$LAB/wire" "$LAB/relay-disk" "$alice" "$bob" "$zone" $devices <<'PYTHON' || fail "ids of accounts, devices or the zone are visible"
import base64, os, sys
wire, disk, *names = sys.argv[1:]
def bytes_of(name): return base64.b32decode(name.upper() + "=" * (-len(name) % 8))
needles = [b"canary-"] + [bytes_of(n) for n in names] + [n.encode() for n in names]
files = [wire] + [os.path.join(folder, f) for folder, _, fs in os.walk(disk) for f in fs]
assert len(files) > 1, "the relay has nothing on its disk"
for path in files:
    content = open(path, "rb").read()
    assert not [n for n in needles if n in content], path
PYTHON
step "neither the relay's disk nor the wire has an id of an account, a device or the zone"
