#!/usr/bin/env bash
# The first process of a lab host, inside its fresh namespaces: gives the host a /run, a /tmp, a machine-id and a name
# of its own, reports that it is ready, and from then on only reaps ended processes.
#
#   host-init.sh FOLDER NAME KEEP…     FOLDER holds the host's files; KEEP are folders that remain visible at their usual paths
set -euo pipefail
folder=$1 name=$2
shift 2

# Keeps the mounts below inside this host.
mount --make-rprivate /
hostname "$name"

mount -t tmpfs -o mode=755 tmpfs /run
install -d -m 755 /run/dbus /run/lock
# A mount over /etc/machine-id requires that it exists; if it does not, this makes an empty file, as systemd would.
[ -e /etc/machine-id ] || : >/etc/machine-id
mount --bind "$folder/machine-id" /etc/machine-id

# A /tmp of its own, in which the folders that are needed and happen to lie under /tmp stay where they are.
mount -t tmpfs -o mode=1777 tmpfs "$folder/tmp"
for kept in "$@"; do
    kept=$(readlink -f "$kept" || true)
    if [[ $kept = /tmp/* && -d $kept && ! -e $folder/tmp/${kept#/tmp/} ]]; then
        mkdir -p "$folder/tmp/${kept#/tmp/}"
        mount --bind "$kept" "$folder/tmp/${kept#/tmp/}"
    fi
done
mount --move "$folder/tmp" /tmp

: >"$folder/ready"
# Bash as the first process reaps orphans. The sleeper is a child of its own, so that there is always one to wait for.
while :; do
    sleep 3600 &
    wait
done
