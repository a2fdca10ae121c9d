#!/usr/bin/env bash
# The network of one host is on a bridge called br-lan; the other host has 603 interfaces, of which the network's is the
# newest. They find each other, and the second reports the interfaces that it leaves out. A host with only Docker's bridge
# reports that it uses no interface, and why.
. "$(dirname "$0")/defines.sh"
# As installed: the lab's own configuration names lan0 as the only interface.
avahi_configuration() { printf '[server]\nhost-name=%s\n[wide-area]\nenable-wide-area=no\n' "$1"; }
lab_up 2
on b ip link set lan0 down
on b ip link set lan0 name br-lan
on b ip link set br-lan up
# shellcheck disable=SC2016 # the shell within expands it
on a bash -c 'for i in $(seq 300); do ip link add "vl$i" type veth peer name "vm$i"; ip link set "vl$i" up; ip link set "vm$i" up; done'
on a ip link set lan0 down
in_switch ip link add port-late type veth peer name lan9 netns "${HOST_PID[a]}"
in_switch ip link set port-late master br0 up
on a ip link set lan9 up
on a ip address add 10.77.0.9/24 broadcast + dev lan9
start_daemon a
start_daemon b
codes() { kairan_on "$1" --json status | json '[h["code"] for h in d["health"]]'; }
says() { [[ "$(codes "$1")" == *"$2"* ]]; }
wait_until 30 "a's warning that interfaces are left out" says a mdns.interfaces_left_out
pair a b
step "paired"

on b ip link set br-lan down
on b ip link add br-0123456789ab type bridge
on b ip link set br-0123456789ab up
wait_until 30 "b's warning that no interface is left" says b mdns.no_interface
grep -q "br-0123456789ab belongs to containers" "$LAB/b/log/kairand.log" || fail "the log of b does not name the ignored interface"
