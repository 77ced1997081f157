"""Graph texts: descriptors and nodes."""

import pathlib
import re


class InputError(Exception):
    """What was given cannot be judged."""


TOKEN = re.compile(
    r'"((?:[^"\\]|\\.)*)"|([^\s{}:,;\[\]"#]+)|([{}:,;\[\]])|\s+|#[^\n]*', re.S)
ESCAPE = re.compile(rb'\\([0-7]{1,3}|x[0-9a-fA-F]{1,2}|.)', re.S)
CONTROL = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"a": b"\a", b"b": b"\b",
           b"f": b"\f", b"v": b"\v"}


def unescape(text):
    def replace(match):
        what = match[1]
        if what[:1].isdigit():
            return bytes([int(what, 8) & 255])
        if len(what) > 1:
            return bytes([int(what[1:], 16)])
        return CONTROL.get(what, what)
    return ESCAPE.sub(replace, text.encode("utf-8", "surrogateescape"))


def parse_text(text):
    """A message as {field: [values]}; strings stay as they are written."""
    root, field = {}, None
    stack = [root]
    after_string = False
    for match in TOKEN.finditer(text):
        string, word, mark = match.groups()
        if mark == "{" and field:
            message = {}
            stack[-1].setdefault(field, []).append(message)
            stack.append(message)
            field = None
        elif mark == "}" and len(stack) > 1:
            stack.pop()
            field = None
        elif mark in ("{", "}"):
            raise InputError(f"unexpected {mark}")
        elif word is not None and field is None:
            field, after_string = word, False
        elif word is not None:
            stack[-1].setdefault(field, []).append(word)
            field = None
        elif string is not None:
            if after_string:  # strings side by side are one
                stack[-1][last][-1] += string
            else:
                stack[-1].setdefault(field, []).append(string)
                last, field, after_string = field, None, True
    if len(stack) != 1:
        raise InputError("ends inside a message")
    return root


def one(message, field, default=None):
    return message.get(field, [default])[0]


class Desc:
    """Type, layout and meaning of a tensor."""

    def __init__(self, message):
        attrs = {one(a, "key"): one(a, "value")
                 for a in message.get("attr", [])}
        self.dtype = one(message, "dtype", "DT_UNDEFINED")
        self.format = one(message, "layout")
        self.shape = [int(d) for d in one(message, "shape", {}).get("dim", [])]
        self.origin_format = one(attrs.get("origin_format", {}), "s",
                                 self.format)
        self.origin_shape = self.shape
        if "origin_shape" in attrs:
            self.origin_shape = [
                int(d) for d in one(attrs["origin_shape"], "list").get("i", [])]

    def axis(self, letter):
        return self.origin_shape[self.origin_format.index(letter)]


class Node:
    def __init__(self, message):
        self.name = unescape(one(message, "name")).decode()
        self.type = one(message, "type")
        self.attrs = {one(a, "key"): one(a, "value")
                      for a in message.get("attr", [])}
        # An input without a source is optional and absent.
        anchors = []
        for text in message.get("input", []):
            source, _, index = unescape(text).decode().rpartition(":")
            if index != "-1":
                anchors.append((source, int(index)) if source else None)
        descs = [Desc(d) for d in message.get("input_desc", [])]
        self.inputs = [(source, desc) for source, desc in zip(anchors, descs)
                       if source and desc.dtype != "DT_UNDEFINED"]
        self.outputs = [Desc(d) for d in message.get("output_desc", [])]

    def ints(self, key):
        value = self.attrs.get(key)
        return None if value is None else [
            int(i) for i in one(value, "list", {}).get("i", [])]

    def number(self, key, default=0):
        return int(one(self.attrs.get(key, {}), "i", default))

    def flag(self, key):
        return one(self.attrs.get(key, {}), "b", "false") == "true"


def read_graph(path):
    """The nodes of the first graph by name, producers first."""
    text = pathlib.Path(path).read_text("utf-8", "surrogateescape")
    try:
        model = parse_text(text)
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
    graph = one(model, "graph", model)
    nodes = {n.name: n for n in map(Node, graph.get("op", []))}
    ordered, pending = {}, list(nodes.values())
    while pending:
        ready = [n for n in pending
                 if all(source[0] in ordered for source, _ in n.inputs)]
        if not ready:
            raise InputError(f"{pending[0].name}: an input has no source, or "
                             "it is in a cycle")
        ordered.update((n.name, n) for n in ready)
        pending = [n for n in pending if n.name not in ordered]
    return ordered
