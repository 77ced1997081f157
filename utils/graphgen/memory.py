"""Places of tensors in the memory of the device, given out again when nobody
reads a tensor any more."""

from .formats import ceil_div
from .operators import OPERATORS

ALIGNMENT = 512
LASTING = ("Const", "Variable", "Data")


class Pool:
    """Free parts of the memory."""

    def __init__(self):
        self.free = []  # of (offset, size), in order, none next to another
        self.end = 0

    def take(self, size):
        fits = [part for part in self.free if part[1] >= size]
        if not fits:
            self.end += size
            return self.end - size
        offset, room = part = min(fits, key=lambda part: (part[1], part[0]))
        self.free.remove(part)
        if room > size:
            self.free.append((offset + size, room - size))
        return offset

    def give(self, offset, size):
        merged = []
        for start, room in sorted(self.free + [(offset, size)]):
            if merged and sum(merged[-1]) == start:
                merged[-1] = (merged[-1][0], merged[-1][1] + room)
            else:
                merged.append((start, room))
        self.free = merged


def cleared_by(graph, cleaner):
    """The tensors that kernels add to after `cleaner`."""
    for node in graph.nodes:
        if cleaner in node.controls:
            _, flags = node.attributes["tbe_op_atomic_output_index"]
            yield from (t for t, flag in zip(node.outputs, flags) if flag)


def place(graph):
    """Gives all tensors of `graph` their offsets. What is read on another stream
    than it was written on is not given out again: nobody waits for that."""
    last, shared = {}, set()
    for number, node in enumerate(graph.nodes):
        for source, output in node.sources:
            last[source, output] = number
            if source.stream != node.stream:
                shared.add((source, output))
    ends = {}  # by number of a node: what it is the last to read
    for (source, output), number in last.items():
        if source.op_type not in LASTING and (source, output) not in shared:
            ends.setdefault(number, []).append(source.outputs[output])

    def size(tensor):
        return ceil_div(tensor.padded_bytes, ALIGNMENT) * ALIGNMENT

    pool = Pool()
    in_place, cleared = set(), set()
    for number, node in enumerate(graph.nodes):
        if node.op_type == "AtomicAddrClean":  # it needs the memory already
            for tensor in cleared_by(graph, node):
                tensor.offset = pool.take(size(tensor))
                cleared.add(id(tensor))
        operator = OPERATORS.get(node.op_type)
        updates = operator.updates if operator else {}
        for index, tensor in enumerate(node.outputs):
            if index in updates:
                source, output = node.inputs[updates[index]]
                tensor.offset = source.outputs[output].offset
                in_place.add(id(tensor))
                continue
            if id(tensor) not in cleared:
                tensor.offset = pool.take(size(tensor))
            if (node, index) not in last and node.op_type not in LASTING:
                ends.setdefault(number, []).append(tensor)
        for tensor in ends.get(number, []):
            if id(tensor) not in in_place:
                pool.give(tensor.offset, size(tensor))
    graph.memory = pool.end
