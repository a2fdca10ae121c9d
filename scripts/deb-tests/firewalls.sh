# shellcheck shell=bash
# Firewalls and the package, for scripts/deb-test.

# doctor EXPRESSION: of thirteen's checks, of which c is the one of the port.
doctor() {
    kairan_on thirteen --json doctor >"$LAB/thirteen/doctor" || true
    is "next($1 for c in d if c['code'] == 'port.reachable')" <"$LAB/thirteen/doctor"
}

# listening HOST: the ports on which the daemon listens for other machines, as a firewall's profile has them.
listening() {
    local process
    process=$(unit "$1" kairand.service MainPID)
    on "$1" ss --no-header --listening --numeric --tcp --udp --processes |
        awk -v process="pid=$process," 'index($0, process) { sub(/.*:/, "", $5); print $5 "/" $1 }' | LC_ALL=C sort -u
}
profile() { on "$1" ufw app info "$2" | awk '/^Ports?:/ { getline; print $1 }'; }

# listens_for_both HOST PORT: whether the daemon listens on that port and on the one of the profile of relays.
listens_for_both() { [ "$(listening "$1")" = "$(printf '%s\n' "$(profile "$1" 'Kairan Relay')" "$2" | LC_ALL=C sort)" ]; }

# The doctor names a firewall.
test_blocked_port() {
    local code=0
    # New connections to the port are dropped, and established ones stay, as under the rules of usual firewalls.
    wait_until 60 "the two to be connected" connected thirteen twelve
    nsenter --target "${HOST_PID[thirteen]}" --net -- nft -f - <<'RULES'
table inet fw {
    chain in {
        type filter hook input priority 0; policy accept;
        tcp dport 7621 tcp flags & (syn | ack) == syn drop
    }
}
RULES
    wait_until 90 "the doctor of thirteen to name the firewall" doctor "not c['ok'] and c['severity'] == 'warning'"
    doctor "'7621' in c['message'] and 'sudo ufw allow Kairan' in c['fix'] and 'sudo firewall-cmd --permanent --add-service=kairan' in c['fix']" ||
        fail "the doctor does not say how the firewall lets the port in: $(cat "$LAB/thirteen/doctor")"
    kairan_on thirteen doctor >/dev/null || code=$?
    [ "$code" = 1 ] || fail "the doctor ends with $code behind a firewall"
    step "a firewall: $(json 'next(c["code"] + ": " + c["message"] for c in d if c["code"] == "port.reachable")' <"$LAB/thirteen/doctor")"
    nsenter --target "${HOST_PID[thirteen]}" --net -- nft delete table inet fw
    # A device tries once a minute.
    wait_until 120 "the doctor of thirteen to find nothing" doctor "c['ok'] and 'can connect to TCP port 7621' in c['message']"
    step "without it: $(json 'next(c["message"] for c in d if c["code"] == "port.reachable")' <"$LAB/thirteen/doctor")"
}

# ufw and firewalld can read the files that the package has for them, and open the ports on which the daemon listens.
test_profiles() {
    local host opened service
    for host in twelve thirteen; do
        opened=$(profile "$host" Kairan)
        [ "$opened" = 7621/tcp ] || fail "ufw on $host reads the ports \"$opened\" from the profile Kairan"
        service=$(on "$host" firewall-offline-cmd --info-service=kairan | awk '$1 == "ports:" { print $2 }')
        [ "$service" = "$opened" ] || fail "firewalld on $host reads the ports \"$service\" from the service kairan"
        [ "$(listening "$host")" = "$opened" ] || fail "the profiles on $host open $opened, and kairand listens on $(listening "$host")"
        on "$host" bash -c 'echo "relay: true" >/etc/kairan/kairand.d/relay.yaml'
        on "$host" systemctl restart kairand.service
        wait_until 20 "kairand on $host to be ready" daemon_is_ready "$host"
        wait_until 20 "the relay of $host to listen on the port of its profile" listens_for_both "$host" "$opened"
        on "$host" rm /etc/kairan/kairand.d/relay.yaml
        on "$host" systemctl restart kairand.service
        wait_until 20 "kairand on $host to be ready" daemon_is_ready "$host"
    done
    # systemd counts starts, and five within five minutes are too many; those of a test are no fault.
    for host in twelve thirteen; do on "$host" systemctl reset-failed kairand.service kairand.socket; done
    step "ufw and firewalld open $opened, and the profile of relays $(profile twelve 'Kairan Relay'): the ports on which the daemon listens"
}
