#!/usr/bin/env bash
# a, b and c are one account, and f is a machine of another party that keeps parcels for it. a makes invitations for one account that f counts, and switches off.
# b and c are disconnected from each other; d asks b and e asks c at the same time: one of them joins. Without f both wait; when f is back, one of them joins.
. "$(dirname "$0")/defines.sh"
lab_up 6
for host in a b c d e; do start_daemon "$host"; done
start_daemon f --relay --no-mdns
pair a b
pair a c
for zone in notes plans; do kairan_on a --json zone create "$zone" --container lab >/dev/null; done
if kairan_on a --json share invite notes --rights write --by-relay >/dev/null 2>"$LAB/refused"; then fail "an invitation was made without a relay that counts"; fi
grep -q 'relay.unknown' "$LAB/refused" && grep -q 'kairan relay use' "$LAB/refused" || fail "the refusal does not say what to do: $(cat "$LAB/refused")"
kairan_on a --json relay use "$(kairan_on f relay admit "a, b and c" 2>/dev/null)" >/dev/null
uses_relay() { kairan_on "$1" --json relay ls | is "[r['state'] for r in d] == ['connected']"; }
for host in a b c; do wait_until 40 "$host to use the relay" uses_relay "$host"; done
link() { kairan_on a --json share invite "$1" --rights write --by-relay | json 'd["link"]'; }
notes=$(link notes)
plans=$(link plans)
invited() { kairan_on "$1" --json share ls "$2" | is "[(i['state'], i['relay'] is not None) for i in d['invites']] == [('open', True)]"; }
for host in b c; do for zone in notes plans; do wait_until 40 "the invitation to $zone on $host" invited "$host" "$zone"; done; done
stop_daemon a
for pair in "b c" "b e" "c d" "d e"; do
    # shellcheck disable=SC2086
    cut_off $pair
done
step "the inviting machine is off; b and c are disconnected; d reaches b, and e reaches c"

# join HOST LINK: prints the state of the redemption, or the reason of the refusal.
join() {
    if kairan_on "$1" --json join "$2" >"$LAB/$1/join" 2>&1; then json 'd["state"]' <"$LAB/$1/join"; else grep -o 'invite\.[a-z_]*' "$LAB/$1/join" | head -n 1; fi
}
# both LINK: the answers to d and e, which ask at the same time.
both() {
    join d "$1" >"$LAB/d/told" &
    local asking=$!
    join e "$1" >"$LAB/e/told"
    wait "$asking"
    sort "$LAB/d/told" "$LAB/e/told" | paste -sd ' '
}
one_is_in() { [ "$(both "$1")" = "invite.spent joined" ]; }
told=$(both "$notes")
[ "$told" = "invite.spent joined" ] || fail "two concurrent requests were answered: $told"
zones_on() { kairan_on "$1" --json zone ls | json 'len(d)'; }
[ $(($(zones_on d) + $(zones_on e))) = 1 ] || fail "d has $(zones_on d) zones and e $(zones_on e)"
one_is_in "$notes" || fail "a repeated request changes the outcome: $(both "$notes")"
step "of two concurrent requests one is granted, also when both are repeated"

stop_daemon f
told=$(both "$plans")
[ "$told" = "waiting_inviter waiting_inviter" ] || fail "without the relay the answers are: $told"
[ $(($(zones_on d) + $(zones_on e))) = 1 ] || fail "a request was granted without the relay"
step "without the relay both wait"
start_daemon f --relay --no-mdns
wait_until 120 "one of them to have joined" one_is_in "$plans"
[ $(($(zones_on d) + $(zones_on e))) = 2 ] || fail "d has $(zones_on d) zones and e $(zones_on e)"
step "when the relay is back, one joins"

heal
start_daemon a
taken() { kairan_on "$1" --json share ls "$2" | is "[(i['taken'], i['state']) for i in d['invites']] == [(1, 'spent')] and len(d['participants']) == 1"; }
for host in a b c; do for zone in notes plans; do wait_until 60 "$host to know the account that joined $zone" taken "$host" "$zone"; done; done
step "all machines of the account know the same joined account"
