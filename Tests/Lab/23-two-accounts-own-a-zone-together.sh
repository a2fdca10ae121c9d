#!/usr/bin/env bash
# Two accounts know each other by a shared zone. While disconnected, both make the pair zone of the same name, and write; when
# they reconnect, it is one zone with the records of both, on all four machines. The shared zone ends, and the pair zone
# continues with its own key. A third account in the shared zone never learns of the pair zone. One account leaves the pair zone
# and rejoins.
. "$(dirname "$0")/defines.sh"
lab_up 5
for host in a b c d e; do start_daemon "$host"; done
pair a b
pair c d
kairan_on a --json zone create meeting --container lab >/dev/null
for host in c e; do
    link=$(kairan_on a --json share invite meeting --rights read | json 'd["link"]')
    kairan_on "$host" --json join "$link" >/dev/null
done
knows_zone() { kairan_on "$1" --json zone show "$2" >/dev/null 2>&1; }
lacks_zone() { ! knows_zone "$@"; }
for host in a b c d e; do
    wait_until 30 "the shared zone on $host" knows_zone "$host" meeting
done
account() { kairan_on "$1" --json status | json 'd["account"]'; }
alice=$(account a) bob=$(account c)
wait_until 30 "a and c to be connected" connected a c
step "two accounts and a third one know each other"

for one in a b; do
    for other in c d e; do cut_off "$one" "$other"; done
done
kairan_on a --json zone create chat --container lab --pair "$bob" >"$LAB/a/pair"
kairan_on c --json zone create chat --container lab --pair "$alice" >"$LAB/c/pair"
zone=$(json 'd["zone"]' <"$LAB/a/pair")
[ "$zone" = "$(json 'd["zone"]' <"$LAB/c/pair")" ] || fail "the two accounts have different zones"
is 'd["kind"] == "pair" and d["database"] == "shared" and d["own"]' <"$LAB/c/pair" || fail "the zone is not shown as a pair zone"
kairan_on a --json put "$zone" hello text=alice >/dev/null
kairan_on c --json put "$zone" welcome text=bob >/dev/null
kairan_on a --json put "$zone" topic text=hers >/dev/null
kairan_on c --json put "$zone" topic text=his >/dev/null
heal
converged 60 "$zone" a b c d
field_is b "$zone" welcome text bob || fail "b does not have the record of c"
field_is d "$zone" hello text alice || fail "d does not have the record of a"
topic=$(kairan_on a --json get "$zone" topic | json 'd["fields"]["text"]')
field_is d "$zone" topic text "$topic" || fail "a and d show different topics"
step "both made it while disconnected, and it is one zone on four machines"

refused() {
    local code=$1 host=$2
    shift 2
    ! kairan_on "$host" --json "$@" >"$LAB/$host/refusal" 2>&1 && grep -q "\"$code\"" "$LAB/$host/refusal"
}
refused zone.is_pair a zone delete "$zone" --yes || fail "one account deleted it for both: $(cat "$LAB/a/refusal")"
refused zone.is_pair c share grant "$zone" "$(account e)" --rights read || fail "one account shared it: $(cat "$LAB/c/refusal")"
for other in "$alice" "$bob"; do
    made=$(kairan_on e --json zone create chat --container lab --pair "$other" | json 'd["zone"]')
    [ "$made" != "$zone" ] || fail "a third account made the same zone"
done
knows_zone e "$zone" && fail "a third account knows the pair zone"
step "neither can delete or share it, and a third account cannot find it"

kairan_on a --json share revoke meeting "$bob" >/dev/null
for host in a b; do kairan_on "$host" --json put "$zone" "after-$host" text=x >/dev/null; done
converged 60 "$zone" a b c d
step "the pair zone continues after the end of the shared zone"

kairan_on c --json leave "$zone" >/dev/null
wait_until 20 "d to have left as well" lacks_zone d "$zone"
kairan_on a --json put "$zone" alone text=alice >/dev/null
holds_for 2 "c does not learn of it" lacks_zone c "$zone"
kairan_on d --json zone create chat --container lab --pair "$alice" | is "d[\"zone\"] == \"$zone\"" ||
    fail "rejoining led to another zone"
wait_until 60 "d to have the record that it missed" field_is d "$zone" alone text alice
kairan_on d --json put "$zone" back text=bob >/dev/null
converged 60 "$zone" a b c d
step "one account left and rejoined"
