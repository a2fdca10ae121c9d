# shellcheck shell=bash
# Other packages than the first one, and none, in scripts/deb-test.

# program HOST: the program that the service runs; loaded HOST LIBRARY: whether that process has the library in memory.
program() { on "$1" readlink "/proc/$(unit "$1" kairand.service MainPID)/exe"; }
loaded() { on "$1" grep -q "/$2" "/proc/$(unit "$1" kairand.service MainPID)/maps"; }

# told HOST PATTERN: whether the journal has a line with the pattern; without -q, since a reader that ends early fails the writer.
told() { on "$1" journalctl --no-pager --unit=kairand.service | grep -- "$2" >/dev/null; }

# kairan-relay-cluster changes which program runs.
test_cluster_package() {
    local host library
    for host in twelve thirteen; do
        for library in libnats libssl libcrypto libprotobuf; do
            ! loaded "$host" "$library" || fail "kairand on $host has $library in its memory"
        done
        dpkg_on "$host" --install /packages/cluster.deb
        wait_until 20 "kairand on $host to be ready" daemon_is_ready "$host"
        [ "$(program "$host")" = /usr/lib/kairan/kairand-relay-cluster ] || fail "$host runs $(program "$host") with kairan-relay-cluster"
        loaded "$host" libnats || fail "the daemon on $host has no client for NATS"
        on "$host" grep -q /usr/lib/kairan/libnats "/proc/$(unit "$host" kairand.service MainPID)/maps" || fail "$host has another libnats than the package's"
        on "$host" systemctl reload kairand || fail "a reload failed on $host with kairan-relay-cluster"
    done
    # With a setting for a cluster, a daemon without a client ends, and its message names the package to install.
    on twelve bash -c 'printf "relay: true\nrelay-storage: [\"nats://127.0.0.1:4222\"]\n" >/etc/kairan/kairand.d/cluster.yaml'
    for host in twelve thirteen; do dpkg_on "$host" --purge kairan-relay-cluster; done
    wait_until 20 "kairand on twelve to end" has_failed twelve
    wait_until 20 "kairand on twelve to say what to install" told twelve \
        'cluster.yaml:2: relay-storage names a NATS cluster.*install the package kairan-relay-cluster'
    on twelve rm /etc/kairan/kairand.d/cluster.yaml
    on twelve systemctl reset-failed kairand.service
    on twelve systemctl start kairand.service
    for host in twelve thirteen; do
        wait_until 20 "kairand on $host to be ready" daemon_is_ready "$host"
        [ "$(program "$host")" = /usr/bin/kairand ] || fail "$host runs $(program "$host") without kairan-relay-cluster"
    done
    step "kairan-relay-cluster: its daemon runs while the package is installed, and kairand itself loads neither libnats nor OpenSSL"
}

# kairan-mount starts on both releases with the library of its package, and kairan names the package where it is missing.
test_mount_package() {
    local host words
    for host in twelve thirteen; do
        if words=$(on "$host" kairan mount notes /mnt 2>&1); then fail "kairan on $host mounts without kairan-mount"; fi
        [[ $words = *"Install the package kairan-mount"* ]] || fail "kairan on $host does not say what to install: $words"
        dpkg_on "$host" --install /packages/mount.deb
        on "$host" /usr/lib/kairan/kairan-mount --version >/dev/null || fail "kairan-mount does not start on $host"
        words=$(on "$host" ldd /usr/lib/kairan/kairan-mount)
        [[ $words = *"=> /usr/lib/kairan/libfuse3"* ]] || fail "kairan-mount on $host has another libfuse than the package's: $words"
        on "$host" test -e /usr/lib/systemd/user/kairan-mount@.service || fail "$host has no unit for mounts"
        dpkg_on "$host" --purge kairan-mount
    done
    step "kairan-mount: it starts on both with the library of its package"
}

answered() { [ "$(grep -c '^done ' "$LAB/requests")" -ge "$1" ]; }

# An upgrade loses no request of a loop of them; sets REQUESTS to their number.
test_upgrade() {
    local asking process listening_since before_the_upgrade during_the_upgrade
    # Each request is a connection of its own, made after the answer to the one before.
    on twelve bash -c '
        number=0
        while [ ! -e /run/enough ]; do
            number=$((number + 1))
            if kairan --json put notes "during-$number" number:=$number >/run/answer 2>&1; then echo "done $number"
            else echo "failed $number: $(tr "\n" " " </run/answer)"; fi
        done' >"$LAB/requests" 2>&1 &
    asking=$!
    wait_until 20 "requests to be answered" answered 20
    process=$(unit twelve kairand.service MainPID)
    listening_since=$(unit twelve kairand.socket ActiveEnterTimestampMonotonic)
    before_the_upgrade=$(grep -c . "$LAB/requests")
    dpkg_on twelve --install /packages/new.deb
    during_the_upgrade=$(($(grep -c . "$LAB/requests") - before_the_upgrade))
    wait_until 20 "requests to be answered by the new daemon" answered $((before_the_upgrade + during_the_upgrade + 20))
    on twelve touch /run/enough
    wait "$asking"
    grep -v '^done ' "$LAB/requests" && fail "requests failed during the upgrade"
    [ "$(unit twelve kairand.service MainPID)" != "$process" ] || fail "the daemon is still the old one"
    [ "$(unit twelve kairand.socket ActiveEnterTimestampMonotonic)" = "$listening_since" ] || fail "the socket was restarted"
    REQUESTS=$(grep -c . "$LAB/requests")
    has_records twelve notes $((REQUESTS + 1)) || fail "an acknowledged record is missing"
    wait_until 30 "the records on thirteen" has_records thirteen notes $((REQUESTS + 1))
    step "upgraded: $REQUESTS requests, $during_the_upgrade of them during the upgrade, none failed, every record is on both"
}

# A removal keeps the data, and a package that is installed again goes on with them.
test_removal() {
    local device part
    device=$(device_of twelve)
    dpkg_on twelve --remove kairan
    for part in kairand.socket kairand.service; do ! is_active twelve "$part" || fail "$part is active after the removal"; done
    on twelve test -e /run/kairan/kairand.sock && fail "the socket exists after the removal"
    on twelve test -e /var/lib/kairan/store -a -e /etc/kairan/kairand.yaml || fail "the removal deleted data or configuration"
    dpkg_on twelve --install /packages/new.deb
    wait_until 20 "kairand on twelve to be ready" daemon_is_ready twelve
    [ "$(device_of twelve)" = "$device" ] || fail "the machine is another device after the reinstallation"
    has_records twelve notes $((REQUESTS + 1)) || fail "records are missing after the reinstallation"
    step "removed and reinstalled: the same device with all records"
}

# A purge leaves no file and no user.
test_purge() {
    local host left database
    for host in twelve thirteen; do
        # Files that an administrator added are purged, too.
        on "$host" touch /etc/kairan/kairand.d/own.yaml /etc/kairan/applications.d/own.yaml
        dpkg_on "$host" --purge kairan
        files_of "$host" >"$LAB/$host/after"
        diff "$LAB/$host/before" "$LAB/$host/after" || fail "the files on $host differ from those before the installation"
        left=$(on "$host" find /run -name '*kairan*')
        [ -z "$left" ] || fail "files remain in /run of $host: $left"
        for database in passwd group; do
            ! on "$host" getent "$database" kairan >/dev/null || fail "kairan is in the $database of $host"
        done
        step "purged: $host has the same $(grep -c . "$LAB/$host/after") files as before, and no user kairan"
    done
}
