"""The initiator of a channel of version 1, from docs/protocol/channel.md, on libsodium: enough to connect to a daemon as a stranger."""
import ctypes
import ctypes.util
import hashlib
import hmac
import os
import struct

SODIUM = ctypes.CDLL(ctypes.util.find_library("sodium") or "libsodium.so.23")
if SODIUM.sodium_init() < 0:
    raise RuntimeError("libsodium cannot be initialised")
PROTOCOL = b"Noise_XXpsk0_25519_ChaChaPoly_BLAKE2b"
BODY_MAX = 65_497


def purpose(name):
    raw = ("kairan/v1/" + name).encode()
    return bytes([len(raw)]) + raw


def keyed(key, name, message=b"", size=32):
    return hashlib.blake2b(purpose(name) + message, key=key, digest_size=size).digest()


def multiply(secret, point=None):
    """A public key, or the shared secret of two keys."""
    out = ctypes.create_string_buffer(32)
    if point is None:
        SODIUM.crypto_scalarmult_base(out, secret)
    elif SODIUM.crypto_scalarmult(out, secret, point) != 0:
        raise ValueError("a point of low order")
    return out.raw


def seal(key, counter, added, text):
    out = ctypes.create_string_buffer(len(text) + 16)
    nonce = bytes(4) + struct.pack("<Q", counter)
    SODIUM.crypto_aead_chacha20poly1305_ietf_encrypt(
        out, None, text, ctypes.c_ulonglong(len(text)), added, ctypes.c_ulonglong(len(added)), None, nonce, key
    )
    return out.raw


def unseal(key, counter, added, sealed):
    out = ctypes.create_string_buffer(max(1, len(sealed) - 16))
    nonce = bytes(4) + struct.pack("<Q", counter)
    code = SODIUM.crypto_aead_chacha20poly1305_ietf_decrypt(
        out, None, None, sealed, ctypes.c_ulonglong(len(sealed)), added, ctypes.c_ulonglong(len(added)), nonce, key
    )
    if code != 0:
        raise ValueError("the ciphertext does not open")
    return out.raw[: len(sealed) - 16]


def varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out + bytes([value]))


def blob(data):
    return varint(len(data)) + data


class Device:
    """An unknown device with a valid certificate, and its messages in a handshake."""

    def __init__(self):
        public, secret = ctypes.create_string_buffer(32), ctypes.create_string_buffer(64)
        SODIUM.crypto_sign_seed_keypair(public, secret, os.urandom(32))
        self.static = os.urandom(32)
        certificate = b"\x01" + public.raw + multiply(self.static) + blob(b"") + varint(1) + blob(b"stranger")
        signature = ctypes.create_string_buffer(64)
        signed = purpose("device-certificate") + certificate
        SODIUM.crypto_sign_detached(signature, None, signed, ctypes.c_ulonglong(len(signed)), secret)
        self.payload = blob(blob(certificate) + signature.raw) + os.urandom(32) + varint(0) + os.urandom(16) + b"\x01\x00\x00"


class Channel:
    def __init__(self, connection, secret, device):
        self.connection, self.device = connection, device
        self.hash = self.chain = PROTOCOL + bytes(64 - len(PROTOCOL))
        nonce = os.urandom(16)
        tag = keyed(keyed(secret, "selector-key"), "selector", b"\x01" + nonce, 16)
        preamble = b"KRN1\x01" + nonce + tag
        self.mix_hash(purpose("channel") + preamble)
        ephemeral = os.urandom(32)
        self.mix_key_and_hash(keyed(secret, "channel-key"))
        self.mix_ephemeral(multiply(ephemeral))
        message = multiply(ephemeral) + self.encrypt(b"")
        connection.sendall(preamble + struct.pack(">H", len(message)) + message)
        answer = self.read(struct.unpack(">H", self.read(2))[0])
        theirs, sealed_static, sealed_payload = answer[:32], answer[32:80], answer[80:]
        self.mix_ephemeral(theirs)
        self.mix_key(multiply(ephemeral, theirs))
        static = self.decrypt(sealed_static)
        self.mix_key(multiply(ephemeral, static))
        self.decrypt(sealed_payload)
        said = struct.pack(">H", len(device.payload)) + device.payload + bytes(2)
        message = self.encrypt(multiply(device.static))
        self.mix_key(multiply(device.static, theirs))
        message += self.encrypt(said + bytes(-len(said) % 256))
        connection.sendall(struct.pack(">H", len(message)) + message)
        self.key, self.counter = self.derive(b"", 2)[0][:32], 0

    def read(self, count):
        data = b""
        while len(data) < count:
            part = self.connection.recv(count - len(data))
            if not part:
                raise ConnectionError("closed in the handshake")
            data += part
        return data

    def derive(self, material, count):
        def mac(key, data):
            return hmac.new(key, data, hashlib.blake2b).digest()

        key, last, keys = mac(self.chain, material), b"", []
        for number in range(1, count + 1):
            last = mac(key, last + bytes([number]))
            keys.append(last)
        return keys

    def mix_hash(self, data):
        self.hash = hashlib.blake2b(self.hash + data).digest()

    def mix_key(self, material):
        self.chain, key = self.derive(material, 2)
        self.key, self.counter = key[:32], 0

    def mix_key_and_hash(self, material):
        self.chain, mixed, key = self.derive(material, 3)
        self.mix_hash(mixed)
        self.key, self.counter = key[:32], 0

    def mix_ephemeral(self, key):
        self.mix_hash(key)
        self.mix_key(key)

    def encrypt(self, text):
        sealed = seal(self.key, self.counter, self.hash, text)
        self.counter += 1
        self.mix_hash(sealed)
        return sealed

    def decrypt(self, sealed):
        text = unseal(self.key, self.counter, self.hash, sealed)
        self.counter += 1
        self.mix_hash(sealed)
        return text

    def piece(self):
        """A full piece of a message that continues."""
        sealed = seal(self.key, self.counter, b"", b"\x01" + struct.pack(">H", BODY_MAX) + bytes(BODY_MAX))
        self.counter += 1
        return struct.pack(">H", len(sealed)) + sealed
