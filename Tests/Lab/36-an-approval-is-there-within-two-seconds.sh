#!/usr/bin/env bash
# A person approves an account that waits: the zone is there within two seconds, and the link is not opened again. Three approvals are timed,
# and the bound holds for the best of them, since other tests may have the processors meanwhile; a daemon that asks more seldom fails all three.
. "$(dirname "$0")/defines.sh"
lab_up 2
for host in a b; do start_daemon "$host"; done
limit=2000

waits_for_approval() { kairan_on b --json join ls | is 'any(j["state"] == "waiting_approval" for j in d)'; }
holds_zone() { kairan_on b --json zone ls | is "any(z['name'] == '$1' and z['rights'] == 'write' for z in d)"; }
milliseconds=()
for zone in first second third; do
    kairan_on a --json zone create "$zone" --container lab >/dev/null
    kairan_on a --json put "$zone" milk text=alice >/dev/null
    link=$(kairan_on a --json share invite "$zone" --rights write --approve | json 'd["link"]')
    kairan_on b --json join "$link" | is 'd["state"] in ("waiting_approval", "waiting_inviter")' || fail "b does not wait"
    wait_until 20 "b to wait for a yes to $zone" waits_for_approval
    ! holds_zone "$zone" || fail "b has $zone before anybody has said yes"
    guest=$(kairan_on a --json share ls "$zone" | json 'd["requests"][0]["account"]')
    kairan_on a --json share approve "$zone" "$guest" | is 'd["state"] == "joined"' || fail "the yes to $zone is not enough"
    approved=${EPOCHREALTIME/[.,]/}
    wait_until 20 "$zone on b" holds_zone "$zone"
    took=$(((${EPOCHREALTIME/[.,]/} - approved) / 1000))
    wait_until 20 "the record of $zone on b" field_is b "$zone" milk text alice
    step "$zone: listed on b $took ms after the answer, the record is there after $(((${EPOCHREALTIME/[.,]/} - approved) / 1000)) ms"
    milliseconds+=("$took")
done
mapfile -t sorted < <(printf '%s\n' "${milliseconds[@]}" | sort -n)
step "from the answer to an approval until the zone is listed: median ${sorted[1]} ms, best ${sorted[0]} ms"
((sorted[0] <= limit)) || fail "none of three approvals brought the zone within $limit ms: ${milliseconds[*]} ms"
