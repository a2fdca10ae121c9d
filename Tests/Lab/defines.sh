# shellcheck shell=bash
# A local network of small machines, for tests that need a real one.
#
#      host a                 host b                 host c
#   ┌────────────┐         ┌────────────┐         ┌────────────┐
#   │ kairand    │         │ kairand    │         │ kairand    │     each host: namespaces of its own for
#   │ avahi dbus │         │ avahi dbus │         │ avahi dbus │     network, mounts, processes, host name
#   │    lan0    │         │    lan0    │         │    lan0    │     and IPC; a private /run and /tmp; its
#   └─────┬──────┘         └─────┬──────┘         └─────┬──────┘     own machine-id, D-Bus and Avahi
#         │ 10.77.0.1            │ 10.77.0.2            │ 10.77.0.3
#         │ fe80::/64            │ fe80::/64            │ fe80::/64
#   ┌─────┴──────────────────────┴──────────────────────┴─────┐
#   │ port-a                  port-b                  port-c  │      the switch: a bridge in a network
#   │            br0, cut and healed with nftables            │      namespace of its own, with no way out
#   └─────────────────────────────────────────────────────────┘
#
# The lab does not use the machine's own network, D-Bus or Avahi. All names are inside namespaces, so any number of labs can
# run side by side. All processes end with the test's shell, even when that is killed with -9.
#
# Use: source this file, then `lab_up 3`, `start_daemon a`, … The end of the script tears everything down.
# KEEP=1 keeps the folder with logs and state; VERBOSE=1 prints every command to the daemons.
set -euo pipefail

LAB_FOLDER=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
ROOT=$(cd "$LAB_FOLDER/../.." && pwd)
LAB_STARTED=${EPOCHREALTIME/[.,]/}
# Exit code for "this machine cannot run the lab"; automake's code of a skipped test.
LAB_NOT_RUN=77

# The programs under test. Debug builds by default: their overflow and bounds checks are part of what is tested.
KAIRAN_BIN=${KAIRAN_BIN:-$ROOT/.build/debug}
# The system's own Python: wrappers such as pyenv's cost a tenth of a second a call.
PYTHON=$(PATH=/usr/bin:$PATH command -v python3 || true)

HOSTS=()
declare -A HOST_PID=()    # host → first process of its namespaces
declare -A DAEMON=()      # host → the job (an nsenter) that waits for its kairand
declare -A AVAHI=()       # host → the job that waits for its avahi-daemon
SWITCH_PID=""
LAB=""

# ---------------------------------------------------------------- output and waiting

lab_elapsed() {
    local tenths=$(((${EPOCHREALTIME/[.,]/} - LAB_STARTED) / 100000))
    printf '%d.%d' $((tenths / 10)) $((tenths % 10))
}

step() { printf '%6ss  %s\n' "$(lab_elapsed)" "$*"; }

fail() {
    printf '%6ss  FAILED: %s\n' "$(lab_elapsed)" "$*" >&2
    exit 1
}

# Prints why the lab cannot run here, and exits with a code that is not a pass.
lab_not_run() {
    printf 'lab NOT run: %s\n' "$*" >&2
    exit "$LAB_NOT_RUN"
}

# wait_until SECONDS WHAT CMD…: repeats the command until it succeeds. The tests never sleep for a fixed time: they wait for
# a condition, and a failure names the condition that did not come true.
wait_until() {
    local seconds=$1 what=$2 deadline
    shift 2
    deadline=$((${EPOCHREALTIME/[.,]/} + seconds * 1000000))
    until "$@" >/dev/null 2>&1; do
        ((${EPOCHREALTIME/[.,]/} < deadline)) || fail "waited ${seconds} s for $what"
        sleep 0.1
    done
}

# holds_for SECONDS WHAT CMD…: checks that the command succeeds during the whole time. For facts that must not change; the time
# is the length of the observation, not a guess at when something is ready.
holds_for() {
    local seconds=$1 what=$2 deadline
    shift 2
    deadline=$((${EPOCHREALTIME/[.,]/} + seconds * 1000000))
    while ((${EPOCHREALTIME/[.,]/} < deadline)); do
        "$@" >/dev/null 2>&1 || fail "no longer true: $what"
        sleep 0.2
    done
}

# json EXPRESSION <documents: evaluates a Python expression on the JSON read. `d` is the first document, `documents` the list
# of all of them (a stream, or one document after the other). Strings are printed bare, everything else as JSON.
json() {
    "$PYTHON" -c '
import json, sys
text, at, decoder, documents = sys.stdin.read(), 0, json.JSONDecoder(), []
while True:
    while at < len(text) and text[at].isspace():
        at += 1
    if at == len(text):
        break
    document, at = decoder.raw_decode(text, at)
    documents.append(document)
if not documents:
    sys.exit("no JSON document on standard input")
value = eval(sys.argv[1], {"d": documents[0], "documents": documents, "json": json})
print(value if isinstance(value, str) else json.dumps(value, sort_keys=True, ensure_ascii=False))
' "$1"
}

# is EXPRESSION <documents: success when the expression is true.
is() { [ "$(json "bool($1)")" = true ]; }

# ---------------------------------------------------------------- up and down

lab_check_machine() {
    export PATH=$PATH:/usr/sbin:/sbin
    [ "$(id -u)" = 0 ] || lab_not_run "it needs root, for network namespaces"
    local tool
    for tool in unshare nsenter setpriv ip nft dbus-daemon avahi-daemon python3; do
        command -v "$tool" >/dev/null || lab_not_run "$tool is missing ('make setup' installs it)"
    done
    unshare --net --mount --pid --uts --ipc --fork true 2>/dev/null || lab_not_run "no namespaces are to be had here"
}

# lab_up N, or lab_up NAME…: a switch, and N hosts named a, b, c…, with D-Bus and Avahi running on each.
# LAB_ADDRESSES=link-local leaves IPv4 out, so that there are fe80:: addresses only.
# LAB_PARENT is the folder under which the lab makes its own, LAB_PREFIX the beginning of that one's name.
lab_up() {
    lab_check_machine
    local names=("$@") name
    if [[ $1 =~ ^[0-9]+$ ]]; then
        names=(a b c d e f g h i j k l)
        names=("${names[@]:0:$1}")
    fi
    LAB=$(mktemp -d "${LAB_PARENT:-/tmp}/${LAB_PREFIX:-kairan-lab}.XXXXXX")
    chmod 755 "$LAB"
    trap lab_end EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
    switch_up
    for name in "${names[@]}"; do host_up "$name"; done
    for name in "${names[@]}"; do wait_until 20 "the Avahi of $name to be running" avahi_runs "$name"; done
    step "up: ${HOSTS[*]} on one switch, in $LAB"
}

switch_up() {
    # setpriv: the kernel ends the holder when this shell ends, however it ends.
    setpriv --pdeathsig KILL unshare --net --fork --kill-child -- sleep infinity </dev/null >/dev/null 2>&1 &
    disown
    SWITCH_PID=$(child_of $!)
    in_switch ip link add br0 type bridge stp_state 0 forward_delay 0 mcast_snooping 0
    in_switch ip link set br0 up
    in_switch nft -f - <<'RULES'
table bridge kairan {
    set cut { type ifname . ifname; }
    chain forward {
        type filter hook forward priority filter; policy accept;
        iifname . oifname @cut counter drop
    }
}
RULES
}

in_switch() { nsenter --target "$SWITCH_PID" --net -- "$@"; }

# child_of PID: waits for the first child of a process, such as the program that `unshare --fork` or `nsenter --pid` runs.
child_of() {
    local child="" tries=0
    until child=$(cat "/proc/$1/task/$1/children" 2>/dev/null) && [ -n "$child" ]; do
        ((tries++ < 500)) || return 1
        sleep 0.01
    done
    printf '%s' "${child%% *}"
}

host_up() {
    local name=$1 number=$((${#HOSTS[@]} + 1))
    mkdir -p "$LAB/$name/run" "$LAB/$name/tmp" "$LAB/$name/log"
    avahi_configuration "$name" >"$LAB/$name/avahi-daemon.conf"
    # 32 hexadecimal digits, as machine-id(5) has it.
    md5sum <<<"$LAB/$name" | cut -c1-32 >"$LAB/$name/machine-id"
    setpriv --pdeathsig KILL unshare --net --mount --pid --uts --ipc --fork --kill-child --mount-proc -- \
        bash "$LAB_FOLDER/host-init.sh" "$LAB/$name" "$name" "$LAB" "$ROOT" "$KAIRAN_BIN" \
        </dev/null >"$LAB/$name/log/host.log" 2>&1 &
    disown
    HOST_PID[$name]=$(child_of $!)
    HOSTS+=("$name")
    wait_until 10 "the private folders of $name" test -e "$LAB/$name/ready"

    in_switch ip link add "port-$name" type veth peer name lan0 netns "${HOST_PID[$name]}"
    in_switch ip link set "port-$name" master br0 up
    on "$name" ip link set lo up
    # Two hosts cannot have one address here, so the detection of duplicates, which takes a second, is not needed.
    on "$name" sh -c 'echo 0 >/proc/sys/net/ipv6/conf/lan0/accept_dad' 2>/dev/null || true
    on "$name" ip link set lan0 up
    if [ "${LAB_ADDRESSES:-both}" != link-local ]; then
        on "$name" ip address add "10.77.0.$number/24" broadcast + dev lan0
    fi
    local ENTER
    enter "$name"
    "${ENTER[@]}" dbus-daemon --system --nofork --nopidfile --nosyslog </dev/null >"$LAB/$name/log/dbus.log" 2>&1 &
    disown
    wait_until 10 "the D-Bus of $name" on "$name" test -S /run/dbus/system_bus_socket
    start_avahi "$name"
}

avahi_configuration() {
    local ipv4=yes
    [ "${LAB_ADDRESSES:-both}" != link-local ] || ipv4=no
    cat <<CONFIGURATION
[server]
host-name=$1
allow-interfaces=lan0
use-ipv4=$ipv4
use-ipv6=yes
[wide-area]
enable-wide-area=no
[publish]
publish-hinfo=no
publish-workstation=no
CONFIGURATION
}

# Runs at the end of every test, after success and failure.
lab_end() {
    local status=$?
    trap - EXIT INT TERM
    set +e
    [ "$status" = 0 ] || lab_dump >&2
    [ -z "${KEEP:-}" ] || echo "kept: $LAB"
    # Bash would report every daemon that ends with its host as killed.
    exec 2>/dev/null
    lab_down
    exit "$status"
}

lab_down() {
    local name
    # When the first process of a process namespace ends, so do all others in it.
    for name in "${HOSTS[@]}"; do kill -KILL "${HOST_PID[$name]}" 2>/dev/null; done
    [ -z "$SWITCH_PID" ] || kill -KILL "$SWITCH_PID" 2>/dev/null
    # Background processes of a test outside of the hosts would not end by themselves.
    jobs -p | xargs --no-run-if-empty kill 2>/dev/null
    wait 2>/dev/null
    [ -z "$LAB" ] || [ -n "${KEEP:-}" ] || rm -rf "$LAB"
}

# Prints the first things to read after a failure: the last lines of each log, and each daemon's status.
lab_dump() {
    local name log lines=${DUMP_LINES:-25}
    for name in "${HOSTS[@]}"; do
        for log in kairand host avahi; do
            [ -s "$LAB/$name/log/$log.log" ] || continue
            echo "---- $name: last lines of $log.log ($(wc -l <"$LAB/$name/log/$log.log"))"
            # Avahi is rarely the cause, and logs the same at every start.
            tail -n "$([ $log = avahi ] && echo 3 || echo "$lines")" "$LAB/$name/log/$log.log" | cut -c1-400
        done
        daemon_lives "$name" || continue
        echo "---- $name: kairan status, peers"
        timeout 5 "$KAIRAN_BIN/kairan" --socket "$(socket_of "$name")" status 2>&1 | head -n "$lines" | cut -c1-200
        timeout 5 "$KAIRAN_BIN/kairan" --socket "$(socket_of "$name")" peers 2>&1 | head -n "$lines" | cut -c1-200
    done
}

# ---------------------------------------------------------------- a host, and the cables between hosts

# enter HOST: sets ENTER to a prefix that runs a command inside a host. In the background, prefix and command are one process,
# which ends as the command does; a function would add a shell around it.
enter() {
    # --root: the lab may itself run in a chroot.
    ENTER=(nsenter --target "${HOST_PID[$1]}" --root --mount --net --pid --uts --ipc -- env --chdir=/ TMPDIR=/tmp)
}

# on HOST CMD…: runs a command inside a host, and waits for it.
on() {
    local ENTER
    enter "$1"
    shift
    "${ENTER[@]}" "$@"
}

# cut_off A B: drops all packets between the two, in either direction, multicast included. Both keep their carrier and see no
# error: packets just do not arrive.
cut_off() {
    in_switch nft add element bridge kairan cut "{ \"port-$1\" . \"port-$2\", \"port-$2\" . \"port-$1\" }"
    step "cut: $1 | $2"
}

# cut_off_one_way FROM TO: drops only packets from FROM to TO.
cut_off_one_way() {
    in_switch nft add element bridge kairan cut "{ \"port-$1\" . \"port-$2\" }"
    step "cut: $1 -> $2"
}

# isolate HOST: cuts a host off from every other host.
isolate() {
    local other
    for other in "${HOSTS[@]}"; do [ "$other" = "$1" ] || cut_off "$1" "$other"; done
}

# listen_to_the_wire: records all frames that pass the switch from now on.
listen_to_the_wire() {
    setpriv --pdeathsig KILL nsenter --target "$SWITCH_PID" --net -- "$PYTHON" -c '
import socket, sys
ETH_P_ALL = 3
wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
wire.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 24)
with open(sys.argv[1], "wb", buffering=0) as frames:
    frames.write(b"listening\n")
    while True:
        frames.write(wire.recv(1 << 17))
' "$LAB/wire" </dev/null >/dev/null 2>"$LAB/wire.log" &
    wait_until 10 "the recording of the wire to begin" is_on_the_wire listening
    said_on_the_wire lab-begins
}

# said_on_the_wire WORD: a host sends the word in clear, and the recording contains it.
said_on_the_wire() {
    on "${HOSTS[0]}" bash -c "echo $1 >/dev/udp/10.77.0.2/9"
    wait_until 10 "a word in clear on the wire" is_on_the_wire "$1"
}
is_on_the_wire() { grep -q -a "$1" "$LAB/wire"; }

# nothing_on_the_wire PATTERN: checks that no match is in the recording of the wire.
nothing_on_the_wire() {
    said_on_the_wire lab-ends
    is_on_the_wire lab-begins || fail "the recording lacks a word that was sent, so this test would be void"
    if grep -a -o "$1" "$LAB/wire" | sort | uniq -c | grep .; then fail "text is readable on the wire"; fi
}

# heal: undoes every cut.
heal() {
    in_switch nft flush set bridge kairan cut
    step "healed"
}

# unplug HOST / plug HOST: the cable itself; the host sees the loss of its carrier.
unplug() { in_switch ip link set "port-$1" down; }
plug() { in_switch ip link set "port-$1" up; }

start_avahi() {
    local ENTER
    enter "$1"
    "${ENTER[@]}" avahi-daemon --file "$LAB/$1/avahi-daemon.conf" --no-rlimits --no-chroot \
        </dev/null >>"$LAB/$1/log/avahi.log" 2>&1 &
    AVAHI[$1]=$!
    disown
}

# kill_avahi HOST: like a crash, without a goodbye on the network, and with its pid file left behind.
kill_avahi() {
    kill -KILL "$(child_of "${AVAHI[$1]}")" || fail "the Avahi of $1 had ended before it was killed"
    wait_until 5 "the Avahi of $1 to be dead" eval "! kill -0 ${AVAHI[$1]}"
    step "avahi killed on $1"
}

# 2 is Avahi's AVAHI_SERVER_RUNNING: its names are probed and announced.
avahi_runs() {
    on "$1" dbus-send --system --print-reply=literal --dest=org.freedesktop.Avahi / \
        org.freedesktop.Avahi.Server.GetState 2>/dev/null | grep -q 'int32 2'
}

# ---------------------------------------------------------------- kairand and kairan

socket_of() { printf '%s' "$LAB/$1/run/kairand.sock"; }
state_of() { printf '%s' "$LAB/$1/state"; }

# sqlite_on HOST QUERY: prints the single value of a query of a host's database, while its daemon runs.
sqlite_on() {
    "$PYTHON" -c '
import sqlite3, sys
print(sqlite3.connect(f"file:{sys.argv[1]}/store/kairan.db?mode=ro", uri=True).execute(sys.argv[2]).fetchone()[0])
' "$(state_of "$1")" "$2"
}

require_programs() {
    local program
    for program in kairand kairan; do
        [ -x "$KAIRAN_BIN/$program" ] || fail "$KAIRAN_BIN/$program is not built ('make build' builds it)"
    done
}

# run_daemon HOST [ARGUMENTS…]: starts kairand, or DAEMON_PROGRAM, in the background and does not wait for it.
run_daemon() {
    local name=$1
    shift
    require_programs
    local ENTER
    enter "$name"
    "${ENTER[@]}" "$KAIRAN_BIN/${DAEMON_PROGRAM:-kairand}" --state "$(state_of "$name")" --socket "$(socket_of "$name")" \
        --log-level "${LOG_LEVEL:-debug}" "$@" </dev/null >>"$LAB/$name/log/kairand.log" 2>&1 &
    DAEMON[$name]=$!
}

# start_daemon HOST [ARGUMENTS…]: starts kairand and returns when it reports that it is ready.
start_daemon() {
    run_daemon "$@"
    wait_until "${START_SECONDS:-20}" "kairand on $1 to be ready" daemon_is_ready "$1"
}

daemon_is_ready() { kairan_on "$1" --json status | is 'd["state"] in ("ready", "degraded")'; }
daemon_lives() { [ -n "${DAEMON[$1]:-}" ] && kill -0 "${DAEMON[$1]}" 2>/dev/null; }

# stop_daemon HOST: SIGTERM; the daemon must end by itself, with exit code 0.
stop_daemon() {
    local code=0
    kill -TERM "$(child_of "${DAEMON[$1]}")" || fail "kairand on $1 had ended before it was stopped"
    wait_until 15 "kairand on $1 to end after SIGTERM" eval "! kill -0 ${DAEMON[$1]}"
    wait "${DAEMON[$1]}" || code=$?
    [ "$code" = 0 ] || fail "kairand on $1 ended with $code after SIGTERM"
    unset "DAEMON[$1]"
}

# kill_daemon HOST: SIGKILL, in the middle of its work.
kill_daemon() {
    kill -KILL "$(child_of "${DAEMON[$1]}")" || fail "kairand on $1 had ended before it was killed"
    # Bash reports the killed job on standard error; the kill is intended.
    wait "${DAEMON[$1]}" 2>/dev/null || true
    unset "DAEMON[$1]"
}

# kairan_on HOST ARGUMENTS…: the command line tool, run on a host against that host's daemon.
kairan_on() {
    local name=$1
    shift
    [ -z "${VERBOSE:-}" ] || echo "        $name: kairan $*" >&2
    on "$name" env "KAIRAN_SOCKET=$(socket_of "$name")" "$KAIRAN_BIN/kairan" "$@"
}

# pair A B: A offers, B accepts; both show the same words. Afterwards B belongs to A's account.
pair() {
    local offer="$LAB/$1/offer.json" accepted="$LAB/$2/accepted.json" ticket job
    : >"$offer"
    kairan_on "$1" --json pair offer >"$offer" 2>"$LAB/$1/log/offer.log" &
    job=$!
    wait_until 15 "a ticket from $1" eval "json 'd[\"ticket\"]' <'$offer'"
    ticket=$(json 'd["ticket"]' <"$offer")
    kairan_on "$2" --json pair accept "$ticket" >"$accepted" || fail "$2 could not accept the ticket of $1"
    wait "$job" || fail "pair offer on $1 ended with an error: $(cat "$LAB/$1/log/offer.log")"
    [ "$(json 'documents[-1]["words"]' <"$offer")" = "$(json 'documents[-1]["words"]' <"$accepted")" ] ||
        fail "$1 and $2 show different words"
    [ "$(json 'documents[-1]["account"]' <"$offer")" = "$(json 'documents[-1]["account"]' <"$accepted")" ] ||
        fail "$1 and $2 are not in one account"
    wait_until 20 "$1 and $2 to be connected" connected "$1" "$2"
    step "paired: $1 and $2 ($(json 'd["words"] if isinstance(d["words"], str) else " ".join(d["words"])' <"$accepted"))"
}

device_of() { kairan_on "$1" --json status | json 'd["device"]'; }

# connected A B: A reports a session with B.
connected() {
    local device
    device=$(device_of "$2")
    kairan_on "$1" --json peers | is "any(p['device'] == '$device' and p['state'] == 'connected' for p in d)"
}

# records_on HOST ZONE: the number of records; empty if the zone is not known yet.
records_on() { kairan_on "$1" --json zone show "$2" 2>/dev/null | json 'd["records"]'; }
digest_on() { kairan_on "$1" --json zone show "$2" 2>/dev/null | json 'd["digest"]'; }
has_records() { [ "$(records_on "$1" "$2")" = "$3" ]; }
has_record() { kairan_on "$1" --json get "$2" "$3"; }

# field_on HOST ZONE RECORD FIELD: the value of one field; empty if it does not exist yet.
field_on() { kairan_on "$1" --json get "$2" "$3" 2>/dev/null | json "d['fields'].get('$4', '')"; }
field_is() { [ "$(field_on "$1" "$2" "$3" "$4")" = "$5" ]; }

# same_digest ZONE HOST…: all replicas have the same digest.
same_digest() {
    local zone=$1 first="" digest host
    shift
    for host in "$@"; do
        digest=$(digest_on "$host" "$zone") || return 1
        [ -n "$digest" ] || return 1
        [ "${first:=$digest}" = "$digest" ] || return 1
    done
}

# converged SECONDS ZONE HOST…: waits for equal digests, then prints the digest.
converged() {
    local seconds=$1 zone=$2
    shift 2
    wait_until "$seconds" "equal digests of '$zone' on $*" same_digest "$zone" "$@"
    step "equal on $*: $(records_on "$1" "$zone") records, digest $(digest_on "$1" "$zone" | cut -c1-16)"
}

# installed_packages: this machine's own package list, a record a line, as `kairan import` reads it.
installed_packages() { "$PYTHON" "$ROOT/scripts/installed-packages"; }

# numbered_records FROM TO: small records named n-000001 and so on.
numbered_records() {
    "$PYTHON" -c '
import json, sys
for i in range(int(sys.argv[1]), int(sys.argv[2]) + 1):
    print(json.dumps({"name": f"n-{i:06}", "type": "Number", "fields": {"value": i, "text": f"record {i}"}}))
' "$1" "$2"
}
