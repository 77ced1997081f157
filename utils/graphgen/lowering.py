"""From a framework's network to the one of the device.

Each operator has a type and formats. Where a tensor has others than an operator
takes, Cast and TransData are inserted, once for each tensor. The result is the
stage before fusion.

Constants are laid out and converted when the graph is compiled. A variable of
channels or filters lies in memory as the first operator that reads it takes it,
a matrix as the framework has it.
"""

import numpy as np

from .formats import (
    DTYPES,
    FORMATS,
    NUMPY_TYPES,
    PRIVATE,
    lay_out,
    physical_shape,
)
from .graph import Graph, Node, TensorValue, kernel_name, laid_out
from .operators import OPERATORS
from .text import ints, strings

STORED_FORMATS = ("NC1HWC0", "FRACTAL_Z")  # private ones of variables
FLOATS = ("DT_FLOAT", "DT_FLOAT16")


class Place:
    """Where a tensor is: an output of a node, with its type and format."""

    def __init__(self, node, index, dtype, layout):
        self.node = node
        self.index = index
        self.dtype = dtype
        self.layout = layout


def describe(value, dtype, layout, **attributes):
    return laid_out(dtype, value.shape, layout, value.format, **attributes)


class Lowering:
    """`inline_limit`: the most bytes that the text has of a constant or
    variable."""

    def __init__(self, network, inline_limit):
        self.network = network
        self.inline_limit = inline_limit
        self.graph = Graph(network.name, is_built=False)
        self.places = {}  # by value: where it was computed
        self.copies = {}  # by value, type and format: where else it is
        self.nodes = {}  # by operator
        self.num_transfers = 0

    # Tensors

    def add_source(self, value, dtype, layout):
        """A constant or variable that lies in memory as it is asked for."""
        op = value.op
        tensor = describe(value, dtype, layout)
        attributes = dict(op.attributes)
        if tensor.bytes <= self.inline_limit:
            array = lay_out(op.data().astype(NUMPY_TYPES[dtype]), layout)
            attributes["value"] = TensorValue(array, describe(value, dtype, layout))
        name = op.name
        if op.type == "Variable":
            attributes.update(container="", shared_name=name, dtype=DTYPES[dtype])
        elif op in self.nodes:  # the same constant in another form
            name = f"{name}_{dtype[3:].lower()}_{layout}"
        node = Node(name, op.type, [], [tensor], attributes, ([], ["y"]))
        self.nodes[op] = self.graph.append(node)
        return Place(node, 0, dtype, layout)

    def get(self, value, dtype, layout=None):
        """`value` with elements of `dtype`, as the framework has it or in
        `layout`."""
        layout = layout or value.format
        if value.op.type == "Const":
            make = lambda: self.add_source(value, dtype, layout)
            return self.once(value, dtype, layout, make)
        place = self.find(value, layout)
        # Formats are changed where elements are smaller.
        if place.dtype == "DT_FLOAT16":
            place = self.transfer(value, place, layout)
        place = self.cast(value, place, dtype)
        return self.transfer(value, place, layout)

    def find(self, value, layout):
        """Where `value` was computed; a variable is put into `layout`."""
        if value not in self.places:
            if value.op.type == "Variable":
                stored = layout if layout in STORED_FORMATS else value.format
                place = self.add_source(value, value.dtype, stored)
            else:  # reshaped: read in place, as the framework has it
                original = value.op.inputs[0]
                place = self.get(original, self.computed_type(original))
                place = Place(place.node, place.index, place.dtype, value.format)
            self.places[value] = place
        return self.places[value]

    def computed_type(self, value):
        while value.op.type == "Reshape" and value not in self.places:
            value = value.op.inputs[0]
        return self.places[value].dtype if value in self.places else value.dtype

    def once(self, value, dtype, layout, make):
        key = (value, dtype, layout)
        if key not in self.copies:
            self.copies[key] = make()
        return self.copies[key]

    def cast(self, value, place, dtype):
        if place.dtype == dtype:
            return place
        make = lambda: self.insert(
            value,
            place,
            "Cast",
            dtype,
            place.layout,
            SrcT=DTYPES[place.dtype],
            DstT=DTYPES[dtype],
            dst_type=DTYPES[dtype],
            truncate=False,
        )
        return self.once(value, dtype, place.layout, make)

    def transfer(self, value, place, layout):
        if place.layout == layout:
            return place
        if place.layout in PRIVATE and layout in PRIVATE:
            place = self.transfer(value, place, value.format)
        make = lambda: self.insert(
            value,
            place,
            "TransData",
            place.dtype,
            layout,
            src_format=place.layout,
            dst_format=layout,
            input_format=FORMATS[place.layout],
            output_format=FORMATS[layout],
            groups=1,
        )
        return self.once(value, place.dtype, layout, make)

    def insert(self, value, place, op_type, dtype, layout, **attributes):
        name = f"trans_{op_type}_{self.num_transfers}"
        self.num_transfers += 1
        operator = OPERATORS[op_type]
        node = Node(
            name,
            op_type,
            [(place.node, place.index)],
            [describe(value, dtype, layout)],
            {"_datadump_original_op_names": strings(), **attributes},
            ([operator.inputs[0].name], [operator.outputs[0].name]),
        )
        text = f"{place.dtype} {place.layout} {dtype} {layout} {value.shape}"
        node.kernel = kernel_name(op_type.lower(), text)
        node.read_as[0] = describe(value, place.dtype, place.layout)
        self.graph.append(node)
        return Place(node, 0, dtype, layout)

    # Operators

    def choose_format(self, op, operator):
        """The format of the operands that are `same`: that of the variable which
        is updated, or the first private one that a whole operand has, so that
        nothing is transferred that need not be."""
        wide = self.widest(op)
        for index, value in enumerate(op.inputs):
            if not value or operator.operand(index).format != "same":
                continue
            place = self.places.get(value)
            if operator.updates:
                return place.layout if place else None
            if place and place.layout in PRIVATE and value.shape == wide:
                pads = np.prod(physical_shape(place.layout, wide)) != np.prod(wide)
                return None if operator.by_place and pads else place.layout
        return None

    @staticmethod
    def widest(op):
        return max((value.shape for value in op.inputs if value), key=np.prod)

    def lower(self, op):
        operator = OPERATORS[op.type]
        same = self.choose_format(op, operator)
        wide = self.widest(op)
        used = []  # number of the input, value, place
        for index, value in enumerate(op.inputs):
            if not value:
                continue
            operand = operator.operand(index)
            layout = None if operand.format == "plain" else operand.format
            if layout == "same":  # what is repeated stays as it is
                layout = same if value.shape == wide else None
            place = self.get(value, operand.dtype or op.dtype, layout)
            used.append((index, value, place))

        outputs = []
        for value in op.outputs:
            operand = operator.output(value.index)
            layout = None if operand.format == "plain" else operand.format
            layout = (same if layout == "same" else layout) or value.format
            outputs.append(
                describe(
                    value,
                    value.dtype,
                    layout,
                    _datadump_origin_data_type="DT_FLOAT",
                    _datadump_origin_format=value.format,
                    _datadump_origin_name=op.name,
                    _datadump_origin_output_index=value.index,
                )
            )
        node = Node(
            op.name,
            op.type,
            [(place.node, place.index) for _, _, place in used],
            outputs,
            self.attributes(op, operator),
            (
                [operator.input_name(index) for index, _, _ in used],
                [operator.output_name(value.index) for value in op.outputs],
            ),
        )
        for index, (_, value, place) in enumerate(used):
            node.read_as[index] = describe(value, place.dtype, place.layout)
        text = [(value.shape, place.dtype, place.layout) for _, value, place in used]
        text = f"{text} {sorted(map(str, op.attributes.items()))}"
        if not operator.library:
            node.kernel = kernel_name(op.type.lower(), text)
        self.append(op, node)
        for value, tensor in zip(op.outputs, outputs):
            self.places[value] = Place(node, value.index, tensor.dtype, tensor.layout)

    def attributes(self, op, operator):
        attributes = {
            "_datadump_original_op_names": strings(op.name),
            "fusion_scope": -2,
            **op.attributes,
        }
        if operator.library:
            attributes["_ge_attr_op_kernel_lib_name"] = operator.library
        if operator.updates:
            attributes["reference"] = True
            first = min(operator.updates.values())
            attributes["ref_var_src_var_name"] = op.inputs[first].op.name
        if operator.is_atomic:
            flags = [int(value.dtype == "DT_FLOAT") for value in op.outputs]
            attributes["tbe_op_atomic_output_index"] = ints(*flags)
        return attributes

    def append(self, op, node):
        node.controls = [self.nodes[control] for control in op.controls]
        self.nodes[op] = self.graph.append(node)

    def add_data(self, op):
        value = op.outputs[0]
        tensor = describe(value, value.dtype, value.format)
        node = Node(
            op.name, op.type, [None], [tensor], dict(op.attributes), (["x"], ["y"])
        )
        self.append(op, node)
        self.places[value] = Place(node, 0, value.dtype, value.format)

    def add_output(self, controls):
        """Frameworks take floats."""
        node = Node("Node_Output", "NetOutput", [], [], {}, ([], []))
        for index, value in enumerate(self.network.outputs):
            dtype = "DT_FLOAT" if value.dtype in FLOATS else value.dtype
            place = self.get(value, dtype)
            node.inputs.append((place.node, place.index))
            node.names[0].append(f"x{index}")
        node.controls = controls
        self.graph.append(node)

    def clean_atomics(self):
        """Memory that kernels add to is cleared first."""
        adding = [
            node
            for node in self.graph.nodes
            if 1 in node.attributes.get("tbe_op_atomic_output_index", ("", ()))[1]
        ]
        if not adding:
            return
        cleaner = Node("atomic_addr_clean0_1", "AtomicAddrClean", [], [], {})
        cleaner.kernel = kernel_name("atomicaddrclean", self.network.name)
        self.graph.nodes.insert(0, cleaner)
        for node in adding:
            node.controls.append(cleaner)

    def run(self):
        for op in self.network.ops:
            if op.type == "Data":
                self.add_data(op)
            elif op.type == "NoOp":
                self.append(op, Node(op.name, op.type, [], [], {}))
            elif op.type not in ("Const", "Variable", "Reshape"):
                self.lower(op)
        barriers = [node for node in self.graph.nodes if node.op_type == "NoOp"]
        self.add_output(barriers[-1:])
        self.clean_atomics()
        return self.graph


def lower(network, inline_limit):
    return Lowering(network, inline_limit).run()
