#!/usr/bin/env bash
# Three daemons start without knowledge of each other or of addresses: Avahi finds them. After pairing they form one account,
# and each is connected to each.
. "$(dirname "$0")/defines.sh"
lab_up 3
for host in a b c; do start_daemon "$host"; done
step "three daemons are ready"

[ "$(kairan_on a --json status | json 'd["account"]')" != "$(kairan_on b --json status | json 'd["account"]')" ] ||
    fail "two fresh daemons have one account"

pair a b
pair a c

account=$(kairan_on a --json status | json 'd["account"]')
for host in b c; do
    [ "$(kairan_on "$host" --json status | json 'd["account"]')" = "$account" ] || fail "$host is in another account"
done
three_devices() { [ "$(kairan_on "$1" --json device ls | json 'len({x["device"] for x in d})')" = 3 ]; }
for host in a b c; do wait_until 20 "three devices on $host" three_devices "$host"; done
step "each of the three lists three devices"

# b and c were not paired directly: they know each other only from the account's log.
wait_until 30 "b and c to be connected" connected b c
wait_until 30 "c and b to be connected" connected c b
found_by_mdns() { kairan_on "$1" --json peers | is 'any(p["via"] == "mdns" for p in d)'; }
# Which side dials is chance, and only the dialling side knows how it found the other.
found_by_mdns a || found_by_mdns b || found_by_mdns c || fail "no host reports a peer found by mDNS"
step "b and c, who never paired, are connected"

# A ticket is for one device.
ticket=$(json 'd["ticket"]' <"$LAB/a/offer.json")
if kairan_on b --json pair accept "$ticket" >/dev/null 2>&1; then fail "a used ticket was accepted"; fi
step "the used ticket is refused"

for host in a b c; do stop_daemon "$host"; done
step "all three ended with 0 after SIGTERM"
