"""Protobuf's text format, as the compiler prints it."""

NAMED_ESCAPES = {9: "\\t", 10: "\\n", 13: "\\r", 34: '\\"', 39: "\\'", 92: "\\\\"}
ESCAPES = [
    NAMED_ESCAPES.get(byte) or (chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}")
    for byte in range(256)
]


def quote(data):
    """A literal for bytes or a string."""
    if isinstance(data, str):
        data = data.encode()
    return '"%s"' % "".join([ESCAPES[byte] for byte in data])


def ints(*elements):
    return ("INT", elements)


def strings(*elements):
    return ("STRING", elements)


def bools(*elements):
    return ("BOOL", elements)


class Writer:
    """Writes fields and messages with the indentation of the compiler."""

    def __init__(self, out):
        self.out = out
        self.indent = 0

    def field(self, name, value):
        if isinstance(value, bool):
            value = "true" if value else "false"
        self.out.write(f"{'  ' * self.indent}{name}: {value}\n")

    def message(self, name):
        writer = self

        class Message:
            def __enter__(self):
                writer.out.write(f"{'  ' * writer.indent}{name} {{\n")
                writer.indent += 1

            def __exit__(self, *_):
                writer.indent -= 1
                writer.out.write(f"{'  ' * writer.indent}}}\n")

        return Message()

    def value(self, value):
        """What is in an AttrDef: a value with a method `write` is a tensor."""
        if isinstance(value, bool):
            self.field("b", value)
        elif isinstance(value, int):
            self.field("i", value)
        elif isinstance(value, float):
            self.field("f", f"{value:.9g}")
        elif isinstance(value, str):
            self.field("s", quote(value))
        elif hasattr(value, "write"):
            with self.message("t"):
                value.write(self)
        else:
            kind, elements = value
            with self.message("list"):
                for element in elements:
                    self.field(
                        {"STRING": "s", "INT": "i", "BOOL": "b"}[kind],
                        quote(element) if kind == "STRING" else element,
                    )
                self.field("val_type", f"VT_LIST_{kind}")

    def attributes(self, attributes):
        for key in sorted(attributes):
            with self.message("attr"):
                self.field("key", quote(key))
                with self.message("value"):
                    self.value(attributes[key])
