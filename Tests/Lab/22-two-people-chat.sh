#!/usr/bin/env bash
# Two people on two machines use the chat of Examples: one invites the other by a link, both write, react and read; one is
# away and catches up, both write while disconnected. The counts of unread messages and of mentions are right, and neither
# learns which messages the other has read. A file is sent with a thumbnail, and fetched when the other one wants it.
. "$(dirname "$0")/defines.sh"
CHAT_BIN=${CHAT_BIN:-$KAIRAN_BIN/kairan-chat}
[ -x "$CHAT_BIN" ] || fail "$CHAT_BIN is not built ('make lab' builds it)"
lab_up 2
for host in a b; do start_daemon "$host"; done

# chat_on HOST ARGUMENTS…: runs the chat, which prints one JSON document a line.
chat_on() {
    local host=$1
    shift
    on "$host" env "KAIRAN_SOCKET=$(socket_of "$host")" "$CHAT_BIN" "$@" --json
}
# unread_is HOST MESSAGES MENTIONS
unread_is() {
    chat_on "$1" ls | is "any(c['chat'] == 'friends' and c['unread'] == $2 and c['mentions'] == $3 for c in documents)"
}
texts_on() { chat_on "$1" history friends --limit 100 | json '" | ".join(m["text"] for m in documents)'; }
texts_are() { [ "$(texts_on "$1")" = "$2" ]; }

link=$(chat_on a new friends --nick ann | json 'd["link"]')
chat_on b join "$link" --nick bob | is 'd["state"] == "joined"' || fail "b has not joined"
wait_until 20 "the chat on b" unread_is b 0 0
step "bob has joined ann's chat"

hello=$(chat_on a send friends "hello" | json 'd["message"]')
wait_until 20 "one unread message on b" unread_is b 1 0
unread_is a 0 0 || fail "ann's own message is unread for her"
chat_on b send friends "hi @ann, here is bob" >/dev/null
wait_until 20 "a message that names ann" unread_is a 1 1
step "both have written; unread messages and mentions are counted"

chat_on b react friends "$hello" 👍 | is 'd["given"]' || fail "the reaction was not given"
reacted() { chat_on a history friends | is "documents[0]['reactions'] == {'👍': ['bob']}"; }
wait_until 20 "bob's reaction on a" reacted
chat_on b react friends "$hello" 👍 | is 'not d["given"]' || fail "the reaction was not withdrawn"
unreacted() { chat_on a history friends | is "documents[0]['reactions'] == {}"; }
wait_until 20 "the reaction to be gone on a" unreacted
chat_on a read friends >/dev/null
unread_is a 0 0 || fail "a message is unread after reading"
unread_is b 1 0 || fail "ann's reading changed bob's unread count"
step "a reaction was given and withdrawn; read marks are private to each person"

stop_daemon b
chat_on a send friends "one" >/dev/null
chat_on a send friends "two, @bob" >/dev/null
start_daemon b
wait_until 30 "the messages that bob missed" unread_is b 3 1
chat_on b read friends >/dev/null
unread_is b 0 0 || fail "a message is unread after bob has read"
step "bob was away and has caught up"

cut_off a b
chat_on b send friends "from bob alone" >/dev/null
chat_on a send friends "from ann alone" >/dev/null
unread_is a 0 0 || fail "a message passed a cut link"
# Ann has read her own later message; bob's older one is unread for her nevertheless.
chat_on a read friends >/dev/null
heal
wait_until 40 "bob's message on a" unread_is a 1 0
wait_until 40 "ann's message on b" unread_is b 1 0
all="hello | hi @ann, here is bob | one | two, @bob | from bob alone | from ann alone"
wait_until 20 "the same order on a" texts_are a "$all"
texts_are b "$all" || fail "bob sees: $(texts_on b)"
step "both machines have the messages written while disconnected, in one order"

mkfifo "$LAB/b/typed"
chat_on b open friends <"$LAB/b/typed" >"$LAB/b/screen" 2>"$LAB/b/log/chat.log" &
exec 7>"$LAB/b/typed"
shows() { grep -q "\"text\":\"$1\"" "$LAB/b/screen"; }
wait_until 20 "the chat on bob's screen" shows "from ann alone"
chat_on a send friends "are you there" >/dev/null
wait_until 20 "ann's question on bob's screen" shows "are you there"
kill_daemon b
start_daemon b
echo "yes I am" >&7
arrived() { chat_on a history friends | is 'documents[-1]["text"] == "yes I am"'; }
wait_until 30 "bob's typed message on a" arrived
chat_on a send friends "good" >/dev/null
wait_until 30 "an answer on bob's screen after his daemon was killed" shows "good"
echo "/mute" >&7
muted() { chat_on b ls | is 'any(c["chat"] == "friends" and c["muted"] and c["unread"] == 0 for c in documents)'; }
wait_until 10 "the chat to be muted, and all messages on the screen to be read" muted
exec 7>&-
[ "$(grep -c '"text":"good"' "$LAB/b/screen")" = 1 ] || fail "a message is on the screen twice"
kairan_on a --json zone ls | is 'sorted(z["name"] for z in d) == ["chat-state", "friends"]' ||
    fail "a has unexpected zones"
step "bob's chat survived the kill of his daemon; his read marks stay on his machines"

account() { kairan_on "$1" --json status | json 'd["account"]'; }
ann=$(account a) bob=$(account b)
cut_off a b
chat_on a with "$bob" >"$LAB/a/pair"
chat_on b with "$ann" >"$LAB/b/pair"
[ "$(json 'd["zone"]' <"$LAB/a/pair")" = "$(json 'd["zone"]' <"$LAB/b/pair")" ] || fail "they have two private chats"
chat_on a send "$bob" "only for you" >/dev/null
chat_on b send "$ann" "and this for you" >/dev/null
heal
both() { chat_on "$1" history "$2" | is 'sorted(m["text"] for m in documents) == ["and this for you", "only for you"]'; }
wait_until 60 "bob's private message on a" both a "$bob"
wait_until 60 "ann's private message on b" both b "$ann"
kairan_on a --json conflicts | is 'd == []' || fail "the private chat began with a conflict"
chat_on a ls | is "any(c['chat'] == '$bob' and c['unread'] == 1 for c in documents)" || fail "ann sees no unread message of bob"
step "both opened the private chat while disconnected, and share one, without an invitation"

"$PYTHON" -c '
import random, sys
random.seed(22)
for path, count in zip(sys.argv[1:], (5_000_001, 16_384)):
    with open(path, "wb") as file:
        file.write(random.randbytes(count))
' "$LAB/a/lake.jpg" "$LAB/a/small.webp"
photo=$(chat_on a send friends --file "$LAB/a/lake.jpg" --thumbnail "$LAB/a/small.webp" --type image/jpeg | json 'd["message"]')
# attachment_is HOST EXPRESSION: an expression on the file `x` of that message.
attachment_is() { chat_on "$1" history friends | is "any($2 for m in documents if m['message'] == '$photo' for x in [m['attachment']])"; }
wait_until 30 "ann's photo on b, with its thumbnail alone" attachment_is b \
    '(x["name"], x["size"], x["thumbnail"], x["state"], x["percent"]) == ("lake.jpg", 5000001, True, "remote", 0)'
chat_on b get friends "$photo" --thumbnail --output "$LAB/b/small.webp" >/dev/null || fail "b has no thumbnail"
cmp -s "$LAB/a/small.webp" "$LAB/b/small.webp" || fail "b has another thumbnail"
attachment_is b 'x["state"] == "remote"' || fail "b has fetched the photo before it was wanted"
chat_on b get friends "$photo" --output "$LAB/b/lake.jpg" >/dev/null || fail "bob cannot get ann's photo"
cmp -s "$LAB/a/lake.jpg" "$LAB/b/lake.jpg" || fail "bob has another photo"
attachment_is b 'x["state"] == "present"' || fail "b does not keep the photo"
step "bob has ann's photo, of which he had the thumbnail with the message"
