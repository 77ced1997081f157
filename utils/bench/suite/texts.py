"""Large texts: a graph grown from a small one, and generic MLIR of that size."""

import re

OP = re.compile(r"^  op \{\n.*?^  \}\n", re.M | re.S)
NAME = re.compile(r'^(    (?:name|input): ")([^":\n]+)((?::-?\d+)?")$', re.M)


def grow(source, path, size=None, nodes=None):
    """Repeats the ops of a graph text, renamed, up to a size in bytes or a number
    of nodes, which the last copy may exceed."""
    with open(source, encoding="utf-8", errors="surrogateescape") as file:
        ops = OP.findall(file.read())
    with open(path, "w", encoding="utf-8", errors="surrogateescape") as out:
        out.write('graph {\n  name: "grown"\n')
        copy = 0
        while out.tell() < size if size else copy * len(ops) < nodes:
            out.write(NAME.sub(rf"\g<1>\g<2>_c{copy}\g<3>", "".join(ops)))
            copy += 1
        out.write("}\n")


def write_generic(path, nodes, size):
    """Operations of an unregistered dialect with the attributes of a node."""
    tensor = "tensor<1x64x56x56xf16>"
    line = ('    %{0} = "ge.Node"(%{1}, %{2}) {{name = "layer/{0}", {3}}} : '
            f"({tensor}, {tensor}) -> {tensor}\n")
    attribute = "a{0} = [1, 56, 56, 64]"
    count = max(1, (size // nodes - len(line.format(nodes, nodes, nodes, "")) + 2)
                // (len(attribute.format(10)) + 2))
    attributes = ", ".join(attribute.format(i) for i in range(count))
    with open(path, "w", encoding="utf-8") as out:
        out.write(f'"builtin.module"() ({{\n  "func.func"() <{{function_type = ({tensor}) -> '
                  f'{tensor}, sym_name = "graph"}}> ({{\n  ^bb0(%0: {tensor}):\n')
        for i in range(1, nodes + 1):
            out.write(line.format(i, i - 1, max(0, i - 4), attributes))
        out.write(f'    "func.return"(%{nodes}) : ({tensor}) -> ()\n  }}) : () -> ()\n'
                  "}) : () -> ()\n")
