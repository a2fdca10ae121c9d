# shellcheck shell=bash
# The machines of scripts/deb-test: a Debian 12 and a Debian 13 with a systemd each, on the switch of the lab.

MIRROR=${MIRROR:-http://deb.debian.org/debian}
declare -A SUITE=([twelve]=bookworm [thirteen]=trixie)

# ---------------------------------------------------------------- two roots, kept between runs

# The firewalls read the package's files for them. None of the two runs: they would close the network between the machines.
TOOLS=ufw,firewalld

# The packages that those of Kairan depend on. Names without versions: apt has one version of each.
dependencies() {
    local file
    for file in "$PACKAGE" "$CLUSTER_PACKAGE" "$MOUNT_PACKAGE"; do dpkg-deb --field "$file" Depends; done | tr ',' '\n' |
        sed -e 's/([^)]*)//g' -e 's/|.*//' -e 's/ //g' | grep -vx kairan | LC_ALL=C sort -u | paste -sd,
}

base_of() { printf '%s' "$PACKAGES/roots/$1"; }
make_base() {
    local base depends
    base=$(base_of "$1")
    depends=$(dependencies)
    [ "$(cat "$base.made" 2>/dev/null)" != "$depends,$TOOLS" ] || return 0
    step "making a root of $1 with what the package depends on"
    rm -rf "$base" "$base.made"
    mkdir -p "$(dirname "$base")"
    mmdebstrap --quiet --mode=root --variant=minbase \
        --include="systemd,systemd-sysv,dbus,avahi-daemon,iproute2,$TOOLS,$depends" \
        --customize-hook='systemctl --root="$1" mask ufw.service firewalld.service' "$1" "$base" "$MIRROR" \
        >"$LAB/mmdebstrap.log" 2>&1 || { tail -n 20 "$LAB/mmdebstrap.log" >&2; fail "no root of $1 from $MIRROR"; }
    printf '%s' "$depends,$TOOLS" >"$base.made"
}

# ---------------------------------------------------------------- two machines on one switch

# The socket's path on an installed machine, for the functions of the lab.
socket_of() { printf /run/kairan/kairand.sock; }

# systemd_in HOLDER: the first process of the machine in a network namespace.
systemd_in() {
    local process wanted
    wanted=$(readlink "/proc/$1/ns/net")
    for process in /proc/[0-9]*; do
        [ "$(cat "$process/comm" 2>/dev/null)" = systemd ] && [ "$(readlink "$process/ns/net")" = "$wanted" ] &&
            [ "$(awk '$1 == "NSpid:" { print $NF }' "$process/status")" = 1 ] && { printf '%s' "${process#/proc/}"; return; }
    done
    return 1
}

machine_up() {
    local name=$1 number=$2 holder
    mkdir -p "$LAB/$name/layer" "$LAB/$name/root" "$LAB/$name/log"
    setpriv --pdeathsig KILL unshare --net --fork --kill-child -- sleep infinity </dev/null >/dev/null 2>&1 &
    disown
    holder=$(child_of $!)
    in_switch ip link add "port-$name" type veth peer name lan0 netns "$holder"
    in_switch ip link set "port-$name" master br0 up
    nsenter --target "$holder" --net -- ip link set lo up
    nsenter --target "$holder" --net -- ip link set lan0 up
    nsenter --target "$holder" --net -- ip address add "10.77.0.$number/24" broadcast + dev lan0
    setpriv --pdeathsig KILL nsenter --target "$holder" --net -- \
        unshare --mount --pid --fork --mount-proc --kill-child -- \
        bash "$ROOT/scripts/deb-box" "$LAB/$name" "$name" "$(base_of "${SUITE[$name]}")" "$LAB/packages" \
        </dev/null >"$LAB/$name/log/host.log" 2>&1 &
    disown
    HOSTS+=("$name")
    wait_until 30 "the systemd of $name" systemd_in "$holder"
    # shellcheck disable=SC2034 # the lab's functions read it
    HOST_PID[$name]=$(systemd_in "$holder")
    wait_until 60 "$name to have booted" has_booted "$name"
    wait_until 30 "the Avahi of $name to be on the air" avahi_runs "$name"
    step "up: $name, $(on "$name" sed -n 's/^PRETTY_NAME="\(.*\)"/\1/p' /etc/os-release)"
}
# "degraded": one of Debian's own units has failed because a container cannot run it. This test does not concern such units.
has_booted() { [[ $(on "$1" systemctl is-system-running 2>/dev/null) =~ ^(running|degraded)$ ]]; }

# The lab's clean-up, and removal of the cgroups, which the kernel would keep.
lab_dump() {
    local name
    for name in "${HOSTS[@]}"; do
        echo "---- $name: last lines of the journal"
        on "$name" journalctl --no-pager --lines=25 --unit='kairand*' 2>&1 | cut -c1-300
        echo "---- $name: last lines of its console and of dpkg"
        tail -n 5 "$LAB/$name/log/host.log"
        tail -n 15 "$LAB/$name/log/dpkg.log" 2>/dev/null
    done
}
eval "lab_only_$(declare -f lab_down)"
lab_down() {
    lab_only_lab_down
    unshare --mount bash -c '
        mount --make-rprivate / && mount -t cgroup2 cgroup2 /sys/fs/cgroup || exit
        for try in $(seq 50); do
            find /sys/fs/cgroup/"$1"-* -depth -type d -exec rmdir {} + && break
            sleep 0.1
        done' _ "$(basename "$LAB")"
}
