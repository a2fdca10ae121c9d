"""Knowledge about Kairan that is not in the document; loaded by schemathesis, see `run`."""
import json
import os
import re

import schemathesis
from hypothesis import strategies

LINES = "application/x-ndjson"
WORLD = json.loads(os.environ["KAIRAN_WORLD"])
# Verbs that delete or change a zone; they are used on zones that no other test needs.
LAST_VERBS = {"deleteZone", "leaveZone", "offerTransfer"}


def documented_codes():
    with open(os.path.join(WORLD["root"], "docs", "api", "errors.md"), encoding="utf-8") as table:
        rows = re.findall(r"^\| `([a-z_.]+)` \| (\d+) \| (yes|no) \|", table.read(), re.MULTILINE)
    return {code: (int(status), retry == "yes") for code, status, retry in rows}


CODES = documented_codes()
# Rules that a description cannot express well: lengths in bytes, the characters of names, and conditions on other values or on
# existing data.
BEYOND_DESCRIPTION = re.compile(
    r"has the type|holds another kind of value|has two changes of|bytes; .* has [1-9]|has \d+ bytes|a name has 1 to|a name has no control|a name does not consist of dots|are the daemon's own, and left out|64-bit integer|at most 64 bits"
    # Dependencies between two parts of a schema.
    r"|^types\..*\.fields\."
    # The order of an array of objects by one of their members.
    r"|This is not a schema: items are out of order"
    r"|has a member twice|each as host:port|lists are nested deeper|a deletion has no other members|it is given twice"
    r"|a condition is on records of one type"
    # A message is about one other at most.
    r"|a message refers to one other"
    # Lengths in bytes of the description of an asset.
    r"|a media type has at most|a file's name has at most|base64 of at most"
    # Values that a relay's link cannot contain.
    r"|A name has |No link can be made"
    # A path beneath a root has the root beside it.
    r"|an absolute path is expected, or a root beside it|^root: it goes with a file"
)

schemathesis.openapi.format(
    "date-time",
    strategies.datetimes().map(lambda time: time.isoformat(timespec="milliseconds") + "Z"),
)


@schemathesis.hook
def before_call(context, case, kwargs):
    path = case.path_parameters or {}
    for parameter, value in list(path.items()):
        # An existing object is requested in its own zone: chance alone would rarely combine the two.
        if "zone" in path and value in WORLD["places"].get(parameter, {}):
            path["zone"] = WORLD["places"][parameter][value]
    payload = case.body.get("payload") if isinstance(case.body, dict) else None
    if isinstance(payload, str) and "zone" in path and payload in WORLD["places"]["payload"]:
        path["zone"] = WORLD["places"]["payload"][payload]
    if case.operation.definition.raw.get("operationId") in LAST_VERBS and path.get("zone") in WORLD["kept"]:
        path["zone"] = WORLD["spare"].pop() if WORLD["spare"] else "gone"
    query = case.query if isinstance(case.query, dict) else {}
    waits_most = 300_000 if case.operation.definition.raw.get("operationId") == "getAssetContent" else 60_000
    if re.fullmatch(r"\d{1,6}", str(query.get("wait_ms", ""))) and int(query["wait_ms"]) <= waits_most:
        # The request waits for a device that will not come.
        query["wait_ms"] = min(int(query["wait_ms"]), 10)


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """Lines of JSON are described one by one, since the format of the description cannot describe a stream."""
    for path in raw_schema["paths"].values():
        for operation in (value for value in path.values() if isinstance(value, dict)):
            for body in [operation.get("requestBody", {}), *operation.get("responses", {}).values()]:
                lines = body.get("content", {}).get(LINES)
                if lines:
                    lines["schema"] = {"type": "array", "items": lines["schema"]}


@schemathesis.serializer(LINES)
def write_lines(context, value):
    return {"data": "".join(json.dumps(line) + "\n" for line in (value if isinstance(value, list) else [value])).encode()}


@schemathesis.deserializer(LINES)
def read_lines(context, response):
    return [json.loads(line) for line in response.content.decode().split("\n") if line]


@schemathesis.deserializer("text/event-stream")
def read_events(context, response):
    """The data of each event, which the description covers."""
    blocks = response.content.decode().replace("\r\n", "\n").split("\n\n")
    return [
        json.loads("\n".join(line.removeprefix("data:") for line in block.split("\n") if line.startswith("data:")))
        for block in blocks
        if "data:" in block
    ]


@schemathesis.check
def error_is_documented(context, response, case):
    """Every error is a consistent problem document with a code of the table."""
    if response.status_code < 400:
        return
    kind = (response.headers.get("content-type") or [""])[0]
    assert kind == "application/problem+json", f"an error of the type {kind!r}"
    problem = response.json()
    row = CODES.get(problem.get("code"))
    assert row, f"the code {problem.get('code')} is not in docs/api/errors.md"
    assert problem["status"] == response.status_code, "status and code of the answer differ"
    assert row == (response.status_code, problem["retryable"]), f"{problem['code']} is documented as {row}"
    assert (response.headers.get("retry-after") is not None) == problem["retryable"], "Retry-After and retryable differ"
    assert problem["detail"] and problem["fix"], "it lacks the cause or the remedy"


@schemathesis.check
def what_is_allowed_is_understood(context, response, case):
    """A request that the description allows may name a missing zone, but must not be refused as malformed."""
    if response.status_code != 400 or case.meta is None or not case.meta.generation.mode.is_positive:
        return
    problem = response.json()
    if problem.get("code") in ("invalid_argument", "request.malformed_json"):
        assert BEYOND_DESCRIPTION.search(problem["detail"]), f"refused, and described as allowed: {problem['detail']}"
