#!/usr/bin/env bash
# The protocol between kairand and systemd, as the unit file declares it: the socket is passed in, readiness and the watchdog are
# notified, SIGHUP reloads, SIGTERM stops with 0. A small program plays the part of systemd, and need not be process 1 for that.
. "$(dirname "$0")/defines.sh"
lab_up 1
require_programs
on a timeout 60 "$LAB_FOLDER/service-manager" "$KAIRAN_BIN/kairand" "$(state_of a)" "$LAB/a/run/passed.sock" \
    >"$LAB/a/manager.log" 2>"$LAB/a/log/kairand.log" || fail "$(tail -n 1 "$LAB/a/log/kairand.log")"
while read -r line; do step "$line"; done <"$LAB/a/manager.log"
