"""Whether a document holds to a schema of docs, as the tests of commands ask."""

import copy
import json
import os
import pathlib

try:
    import jsonschema
except ImportError:
    jsonschema = None

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"


def check_schema(case, name, whole, changes):
    """`whole` holds to the schema of this name, and after each of the changes it does not."""
    if jsonschema is None:
        case.assertNotIn("LIBAM_TEST_CI", os.environ, "python3-jsonschema is not installed")
        return
    described = json.loads((DOCS / f"{name}.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(described)
    judge = jsonschema.Draft202012Validator(described)
    case.assertEqual([f"{e.json_path}: {e.message}" for e in judge.iter_errors(whole)], [])
    for change in changes:
        broken = copy.deepcopy(whole)
        change(broken)
        case.assertFalse(judge.is_valid(broken))
