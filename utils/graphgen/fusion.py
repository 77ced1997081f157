"""Chains of operators become one kernel, as the compiler's buffer fusion does it.

The fused node has the type of the first operator and the names of all, written
one after the other. Its inputs are those of the first and then what the others
take beside the result before them; its outputs are those of the last. Attributes
are gone. Only the name of the kernel spells the chain.
"""

from .graph import Graph, Node, kernel_name
from .operators import OPERATORS
from .text import ints, strings

ATOMIC = "tbe_op_atomic_output_index"

CHAINS = (  # the longest first
    ("Conv2D", "BNTrainingReduce"),
    ("Conv2D", "Add", "Relu"),
    ("Conv2D", "Relu"),
    ("Conv2D", "Add"),
    ("MatMulV2", "Gelu"),
    ("MatMulV2", "Relu"),
    ("MatMulV2", "Tanh"),
    ("MatMulV2", "Add"),
    ("BatchMatMulV2", "Mul"),
    ("Add", "Relu"),
    ("Cast", "Mul"),
)
# What others read of what comes into these is an output of the fused node, too.
SHOW_INPUT = ("BNTrainingReduce",)


class Fusion:
    def __init__(self, graph):
        self.source = graph
        self.graph = Graph(graph.name)
        self.readers = {}  # by node: those that read it
        for node in graph.nodes:
            for source, _ in node.sources:
                self.readers.setdefault(source, []).append(node)
            for control in node.controls:
                self.readers.setdefault(control, []).append(node)
        self.chains = {}  # by last member
        self.members = set()
        self.copies = {}  # by node: what stands for it, and its first output there

    def follow(self, head, types):
        """The chain of `types` that begins with `head`, or None. Nobody else
        reads a result within it that it does not show."""
        chain = [head]
        for op_type in types[1:]:
            readers = self.readers.get(chain[-1], [])
            next_ones = [node for node in readers if node.op_type == op_type]
            if len(next_ones) != 1 or not (
                len(readers) == 1 or op_type in SHOW_INPUT
            ):
                return None
            node = next_ones[0]
            if op_type not in SHOW_INPUT and self.widens(chain[-1], node):
                return None
            cleared = [n for n in node.controls if n.op_type == "AtomicAddrClean"]
            if node in self.members or len(cleared) != len(node.controls):
                return None
            chain.append(node)
        return chain

    @staticmethod
    def widens(node, reader):
        """Whether the result of `node` is repeated in that of its reader."""
        return node.outputs[0].origin_shape != reader.outputs[0].origin_shape

    def find_chains(self):
        # Of two heads of an addition the later one: the other comes before.
        for types in CHAINS:
            for head in reversed(self.source.nodes):
                if head.op_type != types[0] or head in self.members:
                    continue
                chain = self.follow(head, types)
                if chain:
                    self.chains[chain[-1]] = chain
                    self.members.update(chain)

    def copy_source(self, source):
        if not source:
            return None
        copy, first = self.copies[source[0]]
        return copy, first + source[1]

    def copy(self, node):
        result = Node(
            node.name,
            node.op_type,
            [self.copy_source(source) for source in node.inputs],
            node.outputs,
            node.attributes,
            node.names,
        )
        result.kernel = node.kernel
        result.read_as = node.read_as
        return result

    def fuse(self, chain, number):
        head, last = chain[0], chain[-1]
        inputs, tensors = [], []
        for place, node in enumerate(chain):
            for index, source in enumerate(node.inputs):
                if place and source[0] is chain[place - 1]:
                    continue
                inputs.append(self.copy_source(source))
                tensors.append(node.input_tensor(index))
        shown = self.shown(chain)
        outputs = shown.outputs + last.outputs if shown else last.outputs
        names = [name for node in chain for name in self.original_names(node)]
        attributes = {
            "_datadump_original_op_names": strings(*names),
            "fusion_scope": number,
            "pass_name": "TbeCommonRules0FusionPass",
        }
        if ATOMIC in last.attributes:
            _, flags = last.attributes[ATOMIC]
            flags = [0] * (len(outputs) - len(flags)) + list(flags)
            attributes[ATOMIC] = ints(*flags)
        result = Node(
            "".join(node.name for node in chain),
            head.op_type,
            inputs,
            outputs,
            attributes,
            (
                [f"__input{index}" for index in range(len(inputs))],
                [f"__output{index}" for index in range(len(outputs))],
            ),
        )
        spelled = "_".join(OPERATORS[node.op_type].fused_name for node in chain)
        text = " ".join(node.kernel for node in chain)
        result.kernel = kernel_name(f"fused_op_{spelled}", text)
        result.read_as = dict(enumerate(tensors))
        return result

    def shown(self, chain):
        """The member before the last one, if others read its result as well."""
        before = chain[-2]
        return before if len(self.readers[before]) > 1 else None

    @staticmethod
    def original_names(node):
        return node.attributes["_datadump_original_op_names"][1]

    def run(self):
        self.find_chains()
        number = 0
        for node in self.source.nodes:
            chain = self.chains.get(node)
            if node in self.members and not chain:
                continue
            if chain:
                number += 1
                copy = self.fuse(chain, number)
                for member in chain:
                    self.copies[member] = copy, 0
                if shown := self.shown(chain):
                    self.copies[node] = copy, len(shown.outputs)
            else:
                copy = self.copy(node)
                self.copies[node] = copy, 0
            controls = [c for member in chain or [node] for c in member.controls]
            copy.controls = [self.copies[c][0] for c in dict.fromkeys(controls)]
            self.graph.append(copy)
        return self.graph


def fuse(graph):
    """The built graph of a stage before fusion."""
    return Fusion(graph).run()
