# shellcheck shell=bash
# The service of the package in systemd, for scripts/deb-test.

# journal HOST OPTIONS…: the entries that the daemon itself wrote, one JSON document each.
journal() {
    local name=$1
    shift
    on "$name" journalctl --no-pager --output=json --unit=kairand.service "$@" | grep -F '"SYSLOG_IDENTIFIER":"kairand"' || true
}
shows_peer_in_step() { [[ $(unit "$1" kairand.service StatusText) =~ ^1\ peer\ connected,\ [0-9]+\ zones?,\ in\ step$ ]]; }

was_read_again() { journal thirteen | is 'any(e["MESSAGE"].startswith("configuration read again") and e["PRIORITY"] == "5" and e["KAIRAN_NEEDS_RESTART"] == "nothing" for e in documents)'; }

# The journal and the state of the unit say what the documents say.
test_journal() {
    local host warnings lines
    for host in twelve thirteen; do
        wait_until 60 "the status line of $host to say that all is in step" shows_peer_in_step "$host"
        on "$host" systemctl status --no-pager kairand | grep 'Status: "1 peer connected, ' >/dev/null || fail "systemctl status on $host has no status line"
        journal "$host" >"$LAB/$host/journal"
        is 'len(documents) >= 3' <"$LAB/$host/journal" || fail "the journal of $host has fewer than three entries"
        is 'all(e["_TRANSPORT"] == "journal" and e["PRIORITY"] in "234567" and e["KAIRAN_PART"] and e["MESSAGE"] for e in documents)' \
            <"$LAB/$host/journal" || fail "entries on $host lack fields: $(head -c 2000 "$LAB/$host/journal")"
        is '{e["PRIORITY"] for e in documents} <= {"5", "6"}' <"$LAB/$host/journal" || fail "the log level of $host is not info"
        is 'any(e.get("KAIRAN_PEER_ID") for e in documents)' <"$LAB/$host/journal" || fail "no entry on $host names the other machine"
        # From every process of the unit.
        warnings=$(on "$host" journalctl --no-pager --quiet --unit=kairand.service --priority=warning)
        [ -z "$warnings" ] || fail "the journal of $host has warnings although nothing failed: $warnings"
        # Lines that bypass the journal's own protocol: from libdispatch, from Swift's runtime, from a fallback.
        lines=$(on "$host" journalctl --no-pager --quiet --output=cat --unit=kairand.service _TRANSPORT=stdout)
        [ -z "$lines" ] || fail "kairand on $host writes to standard output: $lines"
    done
    step "journal: $(grep -c . "$LAB/twelve/journal") and $(grep -c . "$LAB/thirteen/journal") entries with their fields, no warning, no line from elsewhere"
    step "systemctl status: $(unit twelve kairand.service StatusText)"
}

# An invalid value fails the reload, and the daemon continues; the next reload succeeds.
test_reload() {
    local process
    process=$(unit thirteen kairand.service MainPID)
    on thirteen bash -c 'echo "log-level: loud" >/etc/kairan/kairand.d/wrong.yaml'
    on thirteen systemctl reload kairand 2>/dev/null && fail "a reload with an invalid configuration succeeded"
    is_active thirteen kairand.service || fail "kairand on thirteen ended on an invalid configuration"
    [ "$(unit thirteen kairand.service MainPID)" = "$process" ] || fail "kairand on thirteen was restarted by a failed reload"
    has_record thirteen notes first >/dev/null || fail "kairand on thirteen does not answer after a failed reload"
    on thirteen journalctl --no-pager --unit=kairand.service | grep -F '/etc/kairan/kairand.d/wrong.yaml:1: log-level: "loud" is not valid' >/dev/null ||
        fail "the journal does not say where the configuration is wrong"
    on thirteen bash -c 'echo "log-level: notice" >/etc/kairan/kairand.d/wrong.yaml'
    on thirteen systemctl reload kairand || fail "a reload with a valid configuration failed"
    wait_until 20 "kairand on thirteen to read its configuration again" was_read_again
    on thirteen rm /etc/kairan/kairand.d/wrong.yaml
    on thirteen systemctl reload kairand || fail "the last reload failed"
    [ "$(unit thirteen kairand.service MainPID)" = "$process" ] || fail "kairand on thirteen was restarted by a reload"
    step "an invalid value fails the reload and changes nothing, a valid one takes effect"
}

# does_not_start LINE WORDS: with the line in its own file the service does not start, and its state in systemctl says why.
does_not_start() {
    local number said
    on thirteen cp --preserve /etc/kairan/kairand.yaml /root/kairand.yaml
    number=$(($(on thirteen cat /etc/kairan/kairand.yaml | wc -l) + 1))
    on thirteen bash -c 'echo "$1" >>/etc/kairan/kairand.yaml' _ "$1"
    on thirteen systemctl restart kairand.service 2>/dev/null && fail "kairand started with \"$1\""
    wait_until 20 "kairand on thirteen to end" has_failed thirteen
    said=$(on thirteen systemctl status --no-pager --full --lines=20 kairand.service || true)
    grep -F "/etc/kairan/kairand.yaml:$number: $2" <<<"$said" >/dev/null || fail "systemctl status does not say what is wrong with \"$1\": $said"
    on thirteen mv /root/kairand.yaml /etc/kairan/kairand.yaml
    on thirteen systemctl reset-failed kairand.service
    on thirteen systemctl start kairand.service || fail "kairand does not start with its own file again"
    wait_until 20 "kairand on thirteen to be ready" daemon_is_ready thirteen
}

# A wrong line in the configuration: the service does not start.
test_start_with_a_mistake() {
    does_not_start 'mdsn: false' 'unknown key "mdsn"; known: '
    does_not_start 'log-level: loud' 'log-level: "loud" is not valid; allowed: '
    step "a mistake in kairand.yaml: the service does not start, and systemctl status says file, line, key and what is allowed"
}
