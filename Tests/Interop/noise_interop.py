#!/usr/bin/env python3
"""An independent peer of a Kairan channel, written from docs/protocol/channel.md alone.

The handshake comes from the PyPI package `noiseprotocol`, ML-KEM-768 from `kyber-py`; preamble, payload envelope and frames
are done here with hashlib. A test drives it over stdin and stdout, one command and one answer a line, bytes in hexadecimal, `-` for none:

    new ROLE VERSION PSK STATIC PAYLOAD REKEY_FRAMES    a fresh channel; ROLE is initiator or responder
    in BYTES                                            bytes arrived from the other side
    send MESSAGE                                        seal a message
    close CODE                                          say goodbye
    result                                              handshake hash, remote static key, remote payload

Every command but the last is answered by `ok OUT MESSAGES STATE`: bytes for the other side, messages received (separated
by commas), and the state. `result` is answered by `ok HASH STATIC PAYLOAD`. An error is answered by `error TEXT`.
"""

import hashlib
import os
import sys

from kyber_py.ml_kem import ML_KEM_768
from noise.connection import Keypair, NoiseConnection

PROTOCOLS = {1: b"Noise_XXpsk0_25519_ChaChaPoly_BLAKE2b", 2: b"Noise_XXpsk0+psk3_25519_ChaChaPoly_BLAKE2b"}
MAGIC = b"KRN1"
PREAMBLE_LENGTH = 37
PLAINTEXT_MAX = 65_500
BODY_MAX = PLAINTEXT_MAX - 3
DATA, DATA_MORE, CLOSE, PADDING = range(4)


def purpose(name):
    """The prefix that separates the purposes of a hash."""
    raw = ("kairan/v1/" + name).encode()
    return bytes([len(raw)]) + raw


def keyed(key, name, message=b"", size=32):
    return hashlib.blake2b(purpose(name) + message, key=key, digest_size=size).digest()


def selector_tag(psk, version, nonce):
    return keyed(keyed(psk, "selector-key"), "selector", bytes([version]) + nonce, 16)


def envelope(payload, extension):
    packed = b"".join(len(part).to_bytes(2, "big") + part for part in (payload, extension))
    return packed + bytes(-len(packed) % 256)


def open_envelope(packed):
    length = int.from_bytes(packed[:2], "big")
    payload = packed[2 : 2 + length]
    rest = packed[2 + length :]
    end = 2 + int.from_bytes(rest[:2], "big")
    if len(packed) % 256 or len(payload) != length or len(rest) < end or any(rest[end:]):
        raise ValueError("broken envelope")
    return payload, rest[2:end]


def padded_length(used):
    step = 64 if used <= 1024 else 1024
    return min(-(-used // step) * step, PLAINTEXT_MAX)


class Channel:
    def __init__(self, role, version, psk, static, payload, rekey_frames):
        self.is_initiator, self.version = role == "initiator", version
        self.psk, self.static, self.payload = psk, static, payload
        self.rekey_frames = rekey_frames
        self.buffer, self.out, self.messages = b"", b"", []
        self.state, self.partial, self.remote_payload = "preamble", b"", b""
        self.sent = self.received = self.handshake_messages = 0
        if self.is_initiator:
            nonce = os.urandom(16)
            preamble = MAGIC + bytes([version]) + nonce + selector_tag(psk, version, nonce)
            self.out += preamble
            self.begin(preamble)
            if version == 1:
                self.write_handshake(b"")
            else:
                self.kem_key, self.kem_secret_key = ML_KEM_768.keygen()
                self.write_handshake(envelope(b"", self.kem_key))

    def begin(self, preamble):
        noise = NoiseConnection.from_name(PROTOCOLS[self.version])
        # The library requires all keys at the beginning; the second is replaced once it is known.
        noise.set_psks(psks=[keyed(self.psk, "channel-key"), bytes(32)][: self.version])
        noise.set_keypair_from_private_bytes(Keypair.STATIC, self.static)
        noise.set_prologue(purpose("channel") + preamble)
        noise.set_as_initiator() if self.is_initiator else noise.set_as_responder()
        noise.start_handshake()
        self.noise, self.state = noise, "handshake"

    def write_handshake(self, payload):
        message = bytes(self.noise.write_message(payload))
        self.out += len(message).to_bytes(2, "big") + message

    def mix_encapsulation(self, shared, key, ciphertext):
        """Derives the key of the third message after the second one."""
        so_far = self.noise.noise_protocol.handshake_state.symmetric_state.h
        self.noise.noise_protocol.psks[:] = [keyed(shared, "channel-encapsulation", so_far + key + ciphertext)]

    def received_bytes(self, data):
        self.buffer += data
        while self.state not in ("closed", "ignored"):
            if self.state == "preamble":
                if len(self.buffer) < PREAMBLE_LENGTH:
                    return
                preamble, self.buffer = self.buffer[:PREAMBLE_LENGTH], self.buffer[PREAMBLE_LENGTH:]
                nonce, tag = preamble[5:21], preamble[21:]
                if preamble[:5] != MAGIC + bytes([self.version]) or tag != selector_tag(self.psk, self.version, nonce):
                    self.state = "ignored"
                    return
                self.begin(preamble)
                continue
            if len(self.buffer) < 2:
                return
            end = 2 + int.from_bytes(self.buffer[:2], "big")
            if len(self.buffer) < end:
                return
            frame, self.buffer = self.buffer[2:end], self.buffer[end:]
            if self.state == "handshake":
                self.handshake(frame)
            else:
                self.frame(frame)

    def handshake(self, message):
        # The library drops this state, and the remote key in it, as soon as the handshake is done.
        state = self.noise.noise_protocol.handshake_state
        payload = bytes(self.noise.read_message(message))
        self.handshake_messages += 1
        extension = b""
        if self.is_initiator or self.handshake_messages == 2:
            self.remote_static = state.rs.public_bytes
            self.remote_payload, extension = open_envelope(payload)
        if self.version == 1:
            # Like a program that knows only the first version.
            stated = b""
        else:
            stated = bytes([self.version])
            if self.is_initiator:
                self.mix_encapsulation(ML_KEM_768.decaps(self.kem_secret_key, extension[1:]), self.kem_key, extension[1:])
            elif self.handshake_messages == 1:
                empty, key = open_envelope(payload)
                if empty:
                    raise ValueError("a payload before there is a key for it")
                shared, ciphertext = ML_KEM_768.encaps(key)
        if not self.noise.handshake_finished:
            if self.version == 1 or self.is_initiator:
                self.write_handshake(envelope(self.payload, stated))
            else:
                self.write_handshake(envelope(self.payload, stated + ciphertext))
                self.mix_encapsulation(shared, key, ciphertext)
        if self.noise.handshake_finished:
            self.hash = self.noise.get_handshake_hash()
            self.state = "open"

    def frame(self, ciphertext):
        plaintext = bytes(self.noise.decrypt(ciphertext))
        self.received += 1
        if self.received % self.rekey_frames == 0:
            self.noise.rekey_inbound_cipher()
        kind, length = plaintext[0], int.from_bytes(plaintext[1:3], "big")
        body = plaintext[3 : 3 + length]
        if len(plaintext) != padded_length(3 + length) or any(plaintext[3 + length :]):
            raise ValueError("broken padding")
        if kind in (DATA, DATA_MORE):
            self.partial += body
            if kind == DATA:
                self.messages.append(self.partial)
                self.partial = b""
        elif kind == CLOSE:
            self.state = "closed"

    def seal(self, kind, body):
        plaintext = bytes([kind]) + len(body).to_bytes(2, "big") + body
        plaintext += bytes(padded_length(len(plaintext)) - len(plaintext))
        ciphertext = bytes(self.noise.encrypt(plaintext))
        self.out += len(ciphertext).to_bytes(2, "big") + ciphertext
        self.sent += 1
        if self.sent % self.rekey_frames == 0:
            self.noise.rekey_outbound_cipher()

    def send(self, message):
        while len(message) > BODY_MAX:
            self.seal(DATA_MORE, message[:BODY_MAX])
            message = message[BODY_MAX:]
        self.seal(DATA, message)

    def close(self, code):
        self.seal(CLOSE, bytes([code]))
        self.state = "closed"


def parse(text):
    return b"" if text == "-" else bytes.fromhex(text)


def show(data):
    return data.hex() or "-"


def answer(channel, words):
    command = words[0]
    if command == "new":
        role, version, psk, static, payload, rekey = words[1:]
        channel = Channel(role, int(version), parse(psk), parse(static), parse(payload), int(rekey))
    elif command == "in":
        channel.received_bytes(parse(words[1]))
    elif command == "send":
        channel.send(parse(words[1]))
    elif command == "close":
        channel.close(int(words[1]))
    elif command == "result":
        return channel, f"ok {show(channel.hash)} {show(channel.remote_static)} {show(channel.remote_payload)}"
    else:
        raise ValueError("unknown command")
    # An empty message is written as `.`, since an empty string between commas would be ambiguous.
    messages = ",".join(message.hex() or "." for message in channel.messages) or "-"
    line = f"ok {show(channel.out)} {messages} {channel.state}"
    channel.out, channel.messages = b"", []
    return channel, line


def main():
    channel = None
    for line in sys.stdin:
        try:
            channel, text = answer(channel, line.split())
        except Exception as error:  # The test judges every error.
            text = f"error {type(error).__name__}"
        print(text, flush=True)


if __name__ == "__main__":
    main()
