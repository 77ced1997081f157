"""Reads GE graph text as nested lists of (field, value)."""

import re

TOKEN = re.compile(
    r'\s*(?:#[^\n]*\n\s*)*(?:([A-Za-z_]\w*)\s*:?\s*(\{)|([A-Za-z_]\w*)\s*:\s*'
    r'("(?:[^"\\]|\\.)*"|[^\s"{}]+)|(\}))'
)


def parse(text):
    """The fields of a message: strings are kept as literals."""
    fields, stack, at = [], [], 0
    while match := TOKEN.match(text, at):
        at = match.end()
        if match[1]:
            stack.append(fields)
            fields.append((match[1], []))
            fields = fields[-1][1]
        elif match[3]:
            fields.append((match[3], match[4]))
        else:
            fields = stack.pop()
    assert not stack and not text[at:].strip(), text[at : at + 80]
    return fields


def get(message, name):
    """All values of a field."""
    return [value for field, value in message if field == name]


def decode(literal):
    """The bytes of a literal."""
    escapes = {"n": "\n", "r": "\r", "t": "\t"}
    text = re.sub(
        r"\\([0-7]{1,3}|.)",
        lambda m: chr(int(m[1], 8)) if m[1][0] in "01234567" else escapes.get(m[1], m[1]),
        literal[1:-1],
    )
    return text.encode("latin-1") if max(text, default="") < "\u0100" else text.encode()
