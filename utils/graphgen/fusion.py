"""Chains of operators become one kernel, as the compiler's buffer fusion does it.

The fused node has the type of the first operator and the names of all, written
one after the other. Its inputs are those of the first and then what the others
take beside the result before them; attributes are gone. Only the name of the
kernel spells the chain.
"""

from .graph import Graph, Node, kernel_name
from .operators import OPERATORS
from .text import strings

CHAINS = (  # the longest first
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
        self.copies = {}

    def follow(self, head, types):
        """The chain of `types` that begins with `head`, or None. Nobody else
        reads a result within it."""
        chain = [head]
        for op_type in types[1:]:
            readers = self.readers.get(chain[-1], [])
            if len(readers) != 1 or readers[0].op_type != op_type:
                return None
            node = readers[0]
            if node in self.members or node.controls:
                return None
            before = chain[-1]
            # The chain goes through tensors of one size.
            if before.outputs[0].origin_shape != node.outputs[0].origin_shape:
                return None
            chain.append(node)
        return chain

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
        return source and (self.copies[source[0]], source[1])

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
        names = [name for node in chain for name in self.original_names(node)]
        result = Node(
            "".join(node.name for node in chain),
            head.op_type,
            inputs,
            last.outputs,
            {
                "_datadump_original_op_names": strings(*names),
                "fusion_scope": number,
                "pass_name": "TbeCommonRules0FusionPass",
            },
            ([f"__input{index}" for index in range(len(inputs))], ["__output0"]),
        )
        spelled = "_".join(OPERATORS[node.op_type].fused_name for node in chain)
        text = " ".join(node.kernel for node in chain)
        result.kernel = kernel_name(f"fused_op_{spelled}", text)
        result.read_as = dict(enumerate(tensors))
        return result

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
            else:
                copy = self.copy(node)
            controls = (chain[0] if chain else node).controls
            copy.controls = [self.copies[control] for control in controls]
            self.graph.append(copy)
            for member in chain or [node]:
                self.copies[member] = copy
        return self.graph


def fuse(graph):
    """The built graph of a stage before fusion."""
    return Fusion(graph).run()
