"""Uses the models of datamodel-code-generator, and httpx: `use_datamodel_code_generator.py SOCKET ZONE`."""
import json
import sys

import httpx
from generated_models import ConflictPage, ImportedWrite, ImportProgress, Problem, Record, RecordPage, ResolutionBySide, Write

FIELDS = {
    "whole": 3, "large": {"$int64": "9007199254740993"}, "fraction": 0.5, "double": {"$double": "NaN"}, "text": "odd \u00fc",
    "yes": True, "nothing": None, "list": [1, "two", [3, [True]], {"$bytes": "AAH/"}], "bytes": {"$bytes": "AAH/"},
    "count": {"$counter": 3}, "tags": {"$set": ["a", 1]},
}


def text(model):
    """The JSON of a model, without unset members."""
    return model.model_dump_json(by_alias=True, exclude_unset=True)


def main():
    socket, zone = sys.argv[1:]
    with httpx.Client(base_url="http://localhost", transport=httpx.HTTPTransport(uds=socket)) as client:
        records = f"/v1/zones/{zone}/records"

        def put(name, write):
            return client.put(f"{records}/{name}", content=text(write), headers={"Content-Type": "application/json"})

        made = Record.model_validate_json(put("r1", Write(type="Note", fields=FIELDS)).content)
        read = Record.model_validate_json(client.get(f"{records}/r1").content)
        # Compared as text, in which 3 is not 3.0, nor 1 true.
        written = json.dumps(FIELDS, sort_keys=True)
        assert json.dumps(json.loads(text(read))["fields"], sort_keys=True) == written, text(read)
        again = Record.model_validate_json(put("r1", Write(fields=read.fields)).content)
        assert json.dumps(json.loads(text(again))["fields"], sort_keys=True) == written, text(again)
        assert made.name == again.name == "r1"

        stale = Problem.model_validate_json(put("r1", Write(if_version="0" * 32)).content)
        assert stale.code == "record.version_mismatch" and stale.index == 0, stale
        assert stale.current.version == again.version

        page = ConflictPage.model_validate_json(client.get("/v1/conflicts", params={"zone": zone}).content)
        conflict = next(one for one in page.conflicts if one.name == "disputed")
        sides = {json.loads(text(side))["fields"]["text"]: side.version for side in conflict.siblings}
        side = ResolutionBySide(take=sides["by the second"])
        taken = Record.model_validate_json(client.post(f"{records}/disputed/resolve", content=text(side)).content)
        assert json.loads(text(taken))["fields"]["text"] == "by the second" and taken.conflicts == 0, taken

        lines = "".join(text(ImportedWrite(name=f"i{number}", fields={"n": number})) + "\n" for number in range(3))
        answer = client.post(f"/v1/zones/{zone}/import", content=lines, headers={"Content-Type": "application/x-ndjson"})
        progress = ImportProgress.model_validate_json(answer.text.splitlines()[-1])
        assert progress.done and progress.saved == 3, progress
        page = RecordPage.model_validate_json(client.get(records).content)
        assert [record.name for record in page.records] == ["disputed", "i0", "i1", "i2", "r1"], page
        gone = Record.model_validate_json(client.delete(f"{records}/r1", params={"if_version": again.version}).content)
        assert gone.deleted, gone
        missing = Problem.model_validate_json(client.get(f"{records}/r1").content)
        assert missing.code == "record.deleted" and missing.deleted_by, missing
    print("generators: datamodel-code-generator: put, read, listed, refused, resolved, imported, deleted")


main()
