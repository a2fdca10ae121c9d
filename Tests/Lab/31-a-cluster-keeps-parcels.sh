#!/usr/bin/env bash
# The same with a cluster: c, d and e run a NATS server each, c and d are two front ends of one relay over it. While a deposits parcels for b, the front end
# that it uses and one server are killed; nothing is lost, and b gets everything from the other front end.
. "$(dirname "$0")/defines.sh"
NATS_SERVER=${KAIRAN_NATS_SERVER:-$ROOT/.build-nats/bin/nats-server}
[ -x "$NATS_SERVER" ] || fail "there is no nats-server at $NATS_SERVER; scripts/setup installs it"
lab_up 5
declare -A SERVER=()
start_server() {
    local name=$1 ENTER
    mkdir -p "$LAB/$name/nats"
    cat >"$LAB/$name/nats.conf" <<CONF
server_name: $name
listen: 0.0.0.0:4222
jetstream { store_dir: "$LAB/$name/nats", sync_interval: always }
cluster {
    name: lab
    listen: 0.0.0.0:6222
    routes: [nats://10.77.0.3:6222, nats://10.77.0.4:6222, nats://10.77.0.5:6222]
}
accounts {
    SYS { users: [{user: observer, password: "canary-observer"}] }
    RELAY { jetstream: enabled, users: [{user: relay, password: "canary-relay"}] }
}
system_account: SYS
CONF
    enter "$name"
    "${ENTER[@]}" "$NATS_SERVER" -c "$LAB/$name/nats.conf" </dev/null >>"$LAB/$name/log/nats.log" 2>&1 &
    SERVER[$name]=$!
}
for host in c d e; do start_server "$host"; done
head -c 32 /dev/urandom | base32 >"$LAB/relay.key"
for host in c d; do
    install -m 600 "$LAB/relay.key" "$LAB/$host/relay.key"
    cat >"$LAB/$host/kairand.yaml" <<CONF
relay: true
mdns: false
relay-key-file: $LAB/$host/relay.key
relay-address: ["10.77.0.3:7620", "10.77.0.4:7620"]
relay-storage: ["nats://relay:canary-relay@10.77.0.3:4222", "nats://relay:canary-relay@10.77.0.4:4222", "nats://relay:canary-relay@10.77.0.5:4222"]
relay-storage-observers: ["nats://observer:canary-observer@10.77.0.3:4222"]
relay-storage-strict: true
CONF
    chmod 600 "$LAB/$host/kairand.yaml"
done
code=0
on c "$KAIRAN_BIN/kairand" --state "$(state_of c)" --socket "$(socket_of c)" --config "$LAB/c/kairand.yaml" --check >"$LAB/refused" 2>&1 || code=$?
[ "$code" = 64 ] && grep -q 'kairand.yaml:5: relay-storage names a NATS cluster.*install the package kairan-relay-cluster' "$LAB/refused" ||
    fail "kairand without a client for NATS ended with $code: $(cat "$LAB/refused")"
step "kairand without a client for NATS names the package to install"
leads() { grep -q -h "JetStream cluster new metadata leader" "$LAB"/*/log/nats.log; }
wait_until 40 "the servers to have a leader" leads
# The stream is made at the first start; without a safe cluster the front end would not start.
START_SECONDS=60 DAEMON_PROGRAM=kairand-relay-cluster start_daemon c --config "$LAB/c/kairand.yaml"
START_SECONDS=60 DAEMON_PROGRAM=kairand-relay-cluster start_daemon d --config "$LAB/d/kairand.yaml"
kairan_on c --json status | is "not any(w['code'] == 'relay.storage_unsafe' for w in d['health'])" || fail "the cluster is not safe: $(kairan_on c status)"
for host in c d; do
    if grep -q canary- "$LAB/$host/log/kairand.log"; then fail "a password is in the log of $host"; fi
done
step "two front ends are one relay over three servers"

for host in a b; do start_daemon "$host"; done
pair a b
kairan_on a --json zone create notes --container lab >/dev/null
kairan_on a --json put notes before text=before >/dev/null
converged 30 notes a b
link=$(kairan_on d relay admit "a and b" 2>/dev/null)
kairan_on a --json relay use "$link" >/dev/null
stands() { kairan_on "$1" --json relay ls | is "[(r['state'], r['backend']) for r in d] == [('connected', 'jetstream')]"; }
for host in a b; do wait_until 30 "$host to use the relay" stands "$host"; done
stop_daemon b
step "b is off"

for number in $(seq 10); do kairan_on a --json put notes "canary $number" text="canary-$number" >/dev/null; done
waits() { kairan_on a --json relay ls | is "d[0]['waiting'] >= $1"; }
wait_until 40 "the first parcels on the relay" waits 1
# Kills the front end that a uses, and a server: that of the other front end, which must continue with the two remaining servers.
kill -KILL "$(child_of "${SERVER[d]}")"
wait "${SERVER[d]}" 2>/dev/null || true
kill_daemon c
for number in $(seq 11 20); do kairan_on a --json put notes "canary $number" text="canary-$number" >/dev/null; done
line=$(kairan_on a --json send notes "canary-line" | json 'd["message"]')
became() { kairan_on a --json message show "$line" | is "[r['state'] for r in d['deliveries']] == ['$1']"; }
wait_until 120 "the line to be relayed by the remaining front end" became relayed
stop_daemon a
step "one server and one front end were killed meanwhile, and a is off"

start_daemon b
for number in 1 10 11 20; do wait_until 90 "canary $number on b" field_is b notes "canary $number" text "canary-$number"; done
for number in $(seq 20); do field_is b notes "canary $number" text "canary-$number" || fail "canary $number is not on b"; done
wait_until 20 "the line on b" eval "kairan_on b --json inbox | is \"[m['message'] for m in d] == ['$line']\""
kairan_on b --json inbox finish "$line" >/dev/null
wait_until 60 "b's acknowledgement on the relay" eval "kairan_on b --json relay ls | is 'd[0][\"waiting\"] >= 1'"
kairan_on b --json put notes answer text=yes >/dev/null
wait_until 60 "b's answer on the relay" eval "kairan_on b --json relay ls | is 'd[0][\"waiting\"] >= 2'"
stop_daemon b
start_server d
DAEMON_PROGRAM=kairand-relay-cluster start_daemon c --config "$LAB/c/kairand.yaml"
stop_daemon d
step "b has everything; the killed ones run again, and the other front end is off"

start_daemon a
wait_until 90 "a to see that b has read it" became read
wait_until 30 "b's answer on a" field_is a notes answer text yes
step "a learns of it from the restarted front end"
for host in c d e; do
    if grep -q -r -a 'canary-[0-9l]' "$LAB/$host/nats" "$(state_of "$host")" 2>/dev/null; then fail "$host has readable text on its disk"; fi
done
step "the servers' disks have no readable text"
