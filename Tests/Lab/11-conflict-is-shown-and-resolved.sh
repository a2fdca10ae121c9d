#!/usr/bin/env bash
# One field is changed on both sides of a partition. No value is lost silently: both hosts show both values until one of
# them resolves the conflict, and the resolution reaches the other.
. "$(dirname "$0")/defines.sh"
lab_up 2
start_daemon a
start_daemon b
pair a b
kairan_on a --json zone create list --container lab >/dev/null
kairan_on a --json put list milk amount=1 shop=corner >/dev/null
converged 30 list a b

cut_off a b
kairan_on a --json put list milk amount=2 >/dev/null
kairan_on b --json put list milk amount=3 shop=market >/dev/null
heal
converged 60 list a b

conflicts_on() { kairan_on "$1" --json conflicts list; }
has_conflicts() { [ "$(conflicts_on "$1" | json 'len(d)')" = "$2" ]; }
for host in a b; do
    wait_until 10 "a conflict on $host" has_conflicts "$host" 1
    [ "$(conflicts_on "$host" | json 'sorted(s["fields"]["amount"] for s in d[0]["siblings"])')" = '["2", "3"]' ] ||
        fail "$host does not show both amounts: $(conflicts_on "$host")"
    # Only one side changed the shop, so that field has no conflict.
    field_is "$host" list milk shop market || fail "$host lost the change without a conflict"
done
[ "$(field_on a list milk amount)" = "$(field_on b list milk amount)" ] || fail "a and b show different values first"
step "both hosts show both amounts"

other=2
[ "$(field_on a list milk amount)" != 2 ] || other=3
version=$(conflicts_on a | json "[s['version'] for s in d[0]['siblings'] if s['fields']['amount'] == '$other'][0]")
kairan_on a --json resolve list milk --take "$version" >/dev/null
for host in a b; do
    wait_until 20 "the decision on $host" field_is "$host" list milk amount "$other"
    wait_until 10 "no conflict on $host" has_conflicts "$host" 0
done
converged 20 list a b
step "the conflict is resolved to the other amount, $other"
