# shellcheck shell=bash
# The installation of the packages in scripts/deb-test, and functions for all of its parts.

# Every path on a machine's disk, except files that the machine itself writes over time: journal, logs of dpkg and apt, the catalogue
# of systemd, and the backups that dpkg and the tools of passwd keep of their own files.
files_of() {
    on "$1" find / -xdev -printf '%p %y %m %u\n' 2>/dev/null | LC_ALL=C sort | grep -vE \
        '^(/var/log/|/var/tmp/|/var/cache/(ldconfig|man)/|/var/lib/systemd/(random-seed|timers|catalog|timesync|linger)|/var/lib/dpkg/(status-old|available|lock|triggers/|diversions-old|statoverride-old)|/etc/(passwd-|group-|shadow-|gshadow-|subuid-?|subgid-?|\.pwd\.lock|\.updated) |/var/\.updated )'
}
dpkg_on() {
    local name=$1
    shift
    on "$name" env DEBIAN_FRONTEND=noninteractive dpkg "$@" >>"$LAB/$name/log/dpkg.log" 2>&1 ||
        fail "dpkg $* on $name: $(tail -n 10 "$LAB/$name/log/dpkg.log")"
}
is_active() { [ "$(on "$1" systemctl is-active "$2")" = active ]; }
unit() { on "$1" systemctl show --value --property="$3" "$2"; }

has_failed() { [ "$(unit "$1" kairand.service Result)/$(unit "$1" kairand.service ExecMainStatus)" = exit-code/64 ]; }

found_by_mdns() { kairan_on "$1" --json peers | is 'any(p["via"] == "mdns" for p in d)'; }
one_found_by_mdns() { found_by_mdns twelve || found_by_mdns thirteen; }

# The package is installed on both: socket and service run, and folders and documents are in place.
test_installation() {
    local host part
    for host in twelve thirteen; do
        files_of "$host" >"$LAB/$host/before"
        dpkg_on "$host" --install /packages/old.deb
        for part in kairand.socket kairand.service; do
            is_active "$host" "$part" || fail "$part is not active on $host after the installation"
            [ "$(on "$host" systemctl is-enabled "$part")" = enabled ] || fail "$part is not enabled on $host"
        done
        on "$host" test -e /etc/kairan/kairand.yaml -a -d /etc/kairan/applications.d -a -d /etc/kairan/kairand.d
        [ "$(on "$host" stat -c '%U %a' /var/lib/kairan)" = "kairan 700" ] || fail "/var/lib/kairan is not for kairan alone"
        on "$host" test -e /usr/share/doc/kairan/docs/operations/secrets.md || fail "the documents are not installed"
    done
    step "installed on both: socket and service run"
}

# The two find each other by Avahi, pair, and a record arrives.
test_pairing() {
    pair twelve thirteen
    wait_until 20 "one of the two to say that mDNS found the other one" one_found_by_mdns
    kairan_on twelve --json zone create notes --container org.example.notes >/dev/null
    kairan_on twelve --json put notes first text=here >/dev/null
    wait_until 20 "the record on thirteen" has_record thirteen notes first
    step "they found each other, paired, and a record arrived"
}
