"""The records that the measurements write."""
import json
import random

ZONE = "bench"
RECORD_BYTES = 300


def record_lines(count):
    """Records of 300 bytes of fields, with text that compresses little; the same in every run."""
    generator = random.Random(2)
    lines = []
    for index in range(count):
        fields = {"number": index, "text": generator.randbytes((RECORD_BYTES - 40) // 2).hex()}
        lines.append(json.dumps({"name": f"record-{index:07}", "type": "Bench", "fields": fields}))
    return ("\n".join(lines) + "\n").encode()
