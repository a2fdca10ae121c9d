#!/usr/bin/env bash
# The first process of a lab host, inside its fresh namespaces: gives the host a /run, a /tmp, a machine-id and a name
# of its own, says so, and then only buries the dead.
#
#   host-init.sh FOLDER NAME KEEP…     FOLDER is the host's own; KEEP are folders to be seen at their usual paths
set -euo pipefail
folder=$1 name=$2
shift 2

# Nothing that is mounted below leaks out of this host.
mount --make-rprivate /
hostname "$name"

mount -t tmpfs -o mode=755 tmpfs /run
install -d -m 755 /run/dbus /run/lock
# /etc/machine-id has to exist to be covered; where it does not, an empty file is what systemd itself would make.
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
# Bash as first process reaps what is handed to it. The sleeper is its own child, so there is always one to wait for.
while :; do
    sleep 3600 &
    wait
done
