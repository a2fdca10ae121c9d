"""Uses the client of openapi-python-client: `use_openapi_python_client.py SOCKET ZONE`."""
import json
import sys

import httpx
from generated import Client
from generated.api.records import delete_record, get_record, list_conflicts, list_records, put_record, resolve_conflict
from generated.models import BytesValue, DoubleValue, Fields, ImportedWrite, ImportProgress, Problem, Record, ResolutionBySide, Write

LINES = {"Content-Type": "application/x-ndjson"}
FIELDS = {
    "whole": 3, "large": {"$int64": "9007199254740993"}, "fraction": 0.5, "double": {"$double": "NaN"}, "text": "odd \u00fc",
    "yes": True, "nothing": None, "list": [1, "two", [3, [True]], {"$bytes": "AAH/"}], "bytes": {"$bytes": "AAH/"},
    "count": {"$counter": 3}, "tags": {"$set": ["a", 1]},
}


def same(one, other):
    """Whether two values are equal, with types: 3 is not 3.0, nor 1 True."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return type(one) is type(other) and one == other


def main():
    socket, zone = sys.argv[1:]
    with Client(base_url="http://localhost", httpx_args={"transport": httpx.HTTPTransport(uds=socket)}) as client:
        made = put_record.sync(zone, "r1", client=client, body=Write(type_="Note", fields=Fields.from_dict(FIELDS)))
        assert isinstance(made, Record), made
        read = get_record.sync(zone, "r1", client=client)
        assert same(read.fields.to_dict(), FIELDS), read.fields.to_dict()
        assert type(read.fields["whole"]) is int and type(read.fields["list"]) is list
        assert isinstance(read.fields["bytes"], BytesValue) and isinstance(read.fields["double"], DoubleValue)
        # A value that is sent back as it was read keeps its type.
        again = put_record.sync(zone, "r1", client=client, body=Write(fields=read.fields))
        assert same(again.fields.to_dict(), FIELDS), again.fields.to_dict()

        stale = put_record.sync(zone, "r1", client=client, body=Write(if_version="0" * 32))
        assert isinstance(stale, Problem) and stale.code == "record.version_mismatch", stale
        assert isinstance(stale.current, Record) and stale.current.version == again.version and stale.index == 0

        conflict = next(one for one in list_conflicts.sync(client=client, zone=zone).conflicts if one.name == "disputed")
        sides = {side.fields["text"]: side.version for side in conflict.siblings}
        taken = resolve_conflict.sync(zone, "disputed", client=client, body=ResolutionBySide(take=sides["by the second"]))
        assert taken.fields["text"] == "by the second" and taken.conflicts == 0, taken

        # Streams of lines go over the client's own connection: a generated function takes one text.
        writes = [ImportedWrite(name=f"i{number}", fields=Fields.from_dict({"n": number})) for number in range(3)]
        lines = "".join(json.dumps(write.to_dict()) + "\n" for write in writes)
        answer = client.get_httpx_client().post(f"/v1/zones/{zone}/import", content=lines, headers=LINES)
        progress = ImportProgress.from_dict(json.loads(answer.text.splitlines()[-1]))
        assert progress.done and progress.saved == 3, progress
        names = [record.name for record in list_records.sync(zone, client=client).records]
        assert names == ["disputed", "i0", "i1", "i2", "r1"], names
        gone = delete_record.sync(zone, "r1", client=client, if_version=again.version)
        assert gone.deleted, gone
        missing = get_record.sync(zone, "r1", client=client)
        assert isinstance(missing, Problem) and missing.code == "record.deleted" and missing.deleted_by, missing
    print("generators: openapi-python-client: put, read, listed, refused, resolved, imported, deleted")


main()
