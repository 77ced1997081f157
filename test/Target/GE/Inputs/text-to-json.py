"""Writes graph text as the JSON of atc: text-to-json.py TEXT JSON

Repeated fields are arrays, unset messages null, enumerators strings.
"""

import json
import pathlib
import sys

from graph_text import decode, parse

SCALARS = """name type id stream_id has_out_attr dtype layout size weight_size
reuse_input output_tensor device_type input_tensor real_dim_cnt data_offset cmps_size
cmps_tab cmps_tab_offset shape key value list func t td g desc data val_type
list_list_int list_list_float version custom_version""".split()


def scalar(value):
    if value[0] == '"':
        return decode(value).decode("latin-1")
    if value in ("true", "false"):
        return value == "true"
    for kind in (int, float):
        try:
            return kind(value)
        except ValueError:
            pass
    return value  # an enumerator


def convert(fields, is_list=False, is_value=False):
    result = {}
    for name, value in fields:
        if isinstance(value, list):
            value = convert(value, name == "list", name == "value") or (
                None if name == "value" else {}
            )
        else:
            value = scalar(value)
        single = is_value or (name in SCALARS and not is_list) or name == "val_type"
        if single:
            result[name] = value
        else:
            result.setdefault(name, []).append(value)
    return result


text, result = map(pathlib.Path, sys.argv[1:])
tree = convert(parse(text.read_text(encoding="latin-1")))
result.write_text(json.dumps(tree, indent=2, sort_keys=True, ensure_ascii=True))
