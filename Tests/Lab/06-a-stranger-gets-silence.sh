#!/usr/bin/env bash
# c is on the network and does not belong to the account of a and b. From mDNS it learns only that there are daemons: no
# name, no account. It gets no byte in answer to anything that it sends. Its own, unmodified daemon gets no zones.
. "$(dirname "$0")/defines.sh"
lab_up 3
for host in a b c; do start_daemon "$host"; done
pair a b
kairan_on a --json zone create diary --container lab >/dev/null
kairan_on a --json put diary today text=private >/dev/null
converged 30 diary a b

# ------------------------------------------------------------ mDNS

services() { on c "$LAB_FOLDER/mdns-services" 10.77.0.3 _kairan._tcp "$1"; }
services 2 >"$LAB/services.json"
is 'len(d) >= 2' <"$LAB/services.json" || fail "mDNS shows fewer services than there are daemons"
for host in a b; do
    kairan_on "$host" --json status >"$LAB/$host/status.json"
done
kairan_on a --json zone show diary >"$LAB/zone.json"
"$PYTHON" - "$LAB/services.json" "$LAB/a/status.json" "$LAB/b/status.json" "$LAB/zone.json" <<'LOOK' || fail "mDNS discloses too much"
import base64, json, sys
services, zone = json.load(open(sys.argv[1])), json.load(open(sys.argv[4]))
secrets = {"the zone's name": zone["name"], "the zone": zone["zone"]}
for host, path in zip("ab", sys.argv[2:4]):
    status = json.load(open(path))
    for key in ("account", "device", "incarnation"):
        secrets[f"the {key} of {host}"] = status[key]

def spellings(text):
    """The forms in which an id could be published: as text, its beginning, and its bytes, raw, in hex or in base64."""
    yield text.encode()
    if len(text) > 8:
        yield text[:8].encode()
    try:
        raw = base64.b32decode(text.upper() + "=" * (-len(text) % 8))
        yield from (raw, raw[:8], raw.hex().encode(), base64.b64encode(raw)[:10])
    except ValueError:
        pass
    try:
        yield bytes.fromhex(text)
    except ValueError:
        pass

told = 0
for service in services:
    air = b"".join(bytes.fromhex(packet) for packet in service["packets"])
    for what, secret in secrets.items():
        for spelling in spellings(secret):
            if len(spelling) > 3 and spelling.lower() in air.lower():
                print(f"{service['instance']} discloses {what}", file=sys.stderr)
                told += 1
    # Avahi itself puts the host's name into the SRV record; Kairan adds it nowhere else.
    label = service["instance"].split(".")[0]
    words = [label] + (service["txt"] or [])
    for host in ("root", "a.local", "b.local"):
        if any(host in word for word in words):
            print(f"{service['instance']} names {host}", file=sys.stderr)
            told += 1
sys.exit(told > 0)
LOOK
step "mDNS: $(json 'len(d)' <"$LAB/services.json") services, no name, no account, no device"

# A permanent name would let a stranger track a machine across networks.
instances() { json 'sorted(x["instance"] for x in d)' <"$1"; }
stop_daemon b
start_daemon b
services 2 >"$LAB/services-later.json"
"$PYTHON" -c '
import json, sys
before, after = ({x["instance"] for x in json.load(open(path))} for path in sys.argv[1:])
sys.exit(not after - before)' "$LAB/services.json" "$LAB/services-later.json" ||
    fail "b announces itself under the same name after a restart: $(instances "$LAB/services-later.json")"
step "a different name after a restart"

# ------------------------------------------------------------ the port

port=$(kairan_on a --json status | json 'd["listening_port"]')
on c "$LAB_FOLDER/knock" 10.77.0.1 "$port" || fail "a answered a stranger"
step "random bytes, HTTP, TLS, a handshake without a known key: not one byte in answer"
daemon_is_ready a || fail "a is not ready after that"

# ------------------------------------------------------------ an unmodified daemon

sees_nothing() { kairan_on c --json zone ls | is 'all(x["name"] != "diary" for x in d)'; }
not_connected() { kairan_on c --json peers | is 'all(p["state"] != "connected" for p in d)'; }
holds_for 3 "c sees no zone of a" sees_nothing
holds_for 1 "c has no session" not_connected
if kairan_on c --json get diary today >"$LAB/c/get.json" 2>/dev/null; then fail "c reads the diary"; fi
# A ticket that another device has used. No device answers to it, so the search would take most of a minute.
ticket=$(json 'd["ticket"]' <"$LAB/a/offer.json")
on c timeout 8 "$KAIRAN_BIN/kairan" --socket "$(socket_of c)" --json pair accept "$ticket" >/dev/null 2>&1 &&
    fail "c was paired by a used ticket"
[ "$(kairan_on c --json status | json 'd["account"]')" != "$(kairan_on a --json status | json 'd["account"]')" ] ||
    fail "c is in the account of a"
step "the stranger's own daemon has no session and no zones, and a used ticket is refused"

kairan_on b --json put diary tomorrow text=fine >/dev/null
wait_until 30 "b's record on a" field_is a diary tomorrow text fine
converged 20 diary a b
