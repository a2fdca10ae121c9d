"""Reads metrics in Prometheus' text format from standard input, with the parser of Prometheus' own Python client, and writes
the result as JSON: a list of families, each with its name, type, help and samples (name, labels, value as text)."""
import json
import sys

from prometheus_client.parser import text_string_to_metric_families

families = [
    {
        "name": family.name,
        "type": family.type,
        "help": family.documentation,
        "samples": [[sample.name, sample.labels, repr(float(sample.value))] for sample in family.samples],
    }
    for family in text_string_to_metric_families(sys.stdin.read())
]
json.dump(families, sys.stdout)
