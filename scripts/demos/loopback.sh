# shellcheck shell=bash
# The network of scripts/demo on a machine that has no network of namespaces: daemons on the loopback interface, with static peers. These functions
# replace those of the lab.

# loopback_up NAME…: makes the folders of the daemons, and finds a port for each.
loopback_up() {
    local name ports index=0
    LAB=$(mktemp -d "/tmp/$LAB_PREFIX.XXXXXX")
    trap loopback_end EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
    declare -gA PORT=()
    read -r -a ports < <("$PYTHON" "$ROOT/scripts/free-ports" $#)
    for name in "$@"; do
        PORT[$name]=${ports[index++]}
        mkdir -p "$LAB/$name/run" "$LAB/$name/log"
    done
}

on() { shift; "$@"; }

run_daemon() {
    local name=$1 other peers=()
    require_programs
    for other in "${!PORT[@]}"; do
        [ "$other" = "$name" ] || peers+=(--peer "127.0.0.1:${PORT[$other]}")
    done
    "$KAIRAN_BIN/kairand" --state "$(state_of "$name")" --socket "$(socket_of "$name")" --no-mdns \
        --listen "127.0.0.1:${PORT[$name]}" "${peers[@]}" --log-level "$LOG_LEVEL" \
        </dev/null >>"$LAB/$name/log/kairand.log" 2>&1 &
    DAEMON[$name]=$!
}

stop_daemon() {
    kill -TERM "${DAEMON[$1]}"
    wait "${DAEMON[$1]}" || fail "$1 did not stop cleanly"
    unset "DAEMON[$1]"
}

loopback_end() {
    local status=$?
    trap - EXIT INT TERM
    set +e
    jobs -p | xargs --no-run-if-empty kill 2>/dev/null
    wait 2>/dev/null
    [ "$status" = 0 ] || tail -n 15 "$LAB"/*/log/kairand.log >&2
    rm -rf "$LAB"
    exit "$status"
}
