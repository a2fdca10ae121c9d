# shellcheck shell=bash
# Users and applications on the socket of the package, for scripts/deb-test.

# as USER COMMAND…: on thirteen, without any group of an administrator.
as() {
    local user=$1
    shift
    on thirteen setpriv --reuid="$user" --regid="$user" --clear-groups -- "$@"
}

# A user outside of the group receives the command that helps.
test_users() {
    local code=0 words
    as games kairan status >"$LAB/thirteen/refusal" 2>&1 || code=$?
    [ "$code" = 77 ] || fail "a user outside of the group gets the exit code $code: $(cat "$LAB/thirteen/refusal")"
    for words in 'only members of the group kairan may' 'sudo usermod --append --groups kairan games'; do
        grep -F "$words" "$LAB/thirteen/refusal" >/dev/null || fail "a user outside of the group is not told \"$words\": $(cat "$LAB/thirteen/refusal")"
    done
    [ "$(grep -c . "$LAB/thirteen/refusal")" = 1 ] || fail "a user outside of the group sees more than a sentence: $(cat "$LAB/thirteen/refusal")"
    # The command makes the user one of them.
    on thirteen usermod --append --groups kairan games
    on thirteen setpriv --reuid=games --regid=games --init-groups -- kairan --json status | is 'd["state"] == "ready"' ||
        fail "a member of the group may not use the socket"
    on thirteen gpasswd --delete games kairan >/dev/null
    step "a user outside of the group is told the group and the command, which lets the user in"
}

# A wrong file disables one application.
test_applications() {
    on thirteen bash -c '
        mkdir /etc/systemd/system/kairand.socket.d
        printf "[Socket]\nSocketMode=0666\n" >/etc/systemd/system/kairand.socket.d/applications.conf
        printf "uid: games\ncontainers: [org.example.good]\n" >/etc/kairan/applications.d/good.yaml
        printf "uid: lp\ncontainers: [notes]\n" >/etc/kairan/applications.d/bad.yaml
        systemctl daemon-reload
        systemctl stop kairand.service kairand.socket
        systemctl start kairand.socket kairand.service'
    wait_until 20 "kairand on thirteen to be ready" daemon_is_ready thirteen
    as games kairan --json zone create diary --container org.example.good >/dev/null || fail "the application with a right file is refused"
    as lp kairan --json zone create diary --container notes >"$LAB/thirteen/refusal" 2>&1 && fail "the application with a wrong file is accepted"
    grep -F '"forbidden"' "$LAB/thirteen/refusal" >/dev/null || fail "the application with a wrong file gets $(cat "$LAB/thirteen/refusal")"
    kairan_on thirteen --json status | is \
        '[h["message"].split(": ")[1:3] for h in d["health"] if h["code"] == "application.disabled"] == [["/etc/kairan/applications.d/bad.yaml:2", "containers"]]' ||
        fail "the status does not name the wrong file alone: $(kairan_on thirteen status)"
    on thirteen rm -r /etc/systemd/system/kairand.socket.d /etc/kairan/applications.d/good.yaml /etc/kairan/applications.d/bad.yaml
    on thirteen bash -c '
        systemctl daemon-reload
        systemctl stop kairand.service kairand.socket
        systemctl start kairand.socket kairand.service'
    wait_until 20 "kairand on thirteen to be ready" daemon_is_ready thirteen
    [ "$(on thirteen stat -c %a /run/kairan/kairand.sock)" = 660 ] || fail "the socket is open to all"
    step "a wrong file disables its application and no other one, and the status says where it is wrong"
}
