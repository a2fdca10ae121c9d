"""The records that the measurements write."""
import json
import random

ZONE = "bench"
RECORD_BYTES = 300
PIECE = 100_000


def record_lines(count):
    """Records of 300 bytes of fields, with text that compresses little, as lines of an import; the same in every run."""
    return b"".join(record_pieces(count))


def record_pieces(count):
    """The same in pieces of 100,000 records, so that many records need little memory here."""
    generator = random.Random(2)
    for start in range(0, count, PIECE):
        lines = []
        for index in range(start, min(start + PIECE, count)):
            fields = {"number": index, "text": generator.randbytes((RECORD_BYTES - 40) // 2).hex()}
            lines.append(json.dumps({"name": record_name(index), "type": "Bench", "fields": fields}))
        yield ("\n".join(lines) + "\n").encode()


def record_name(index):
    return f"record-{index:07}"
