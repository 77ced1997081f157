"""What the compiler knows of operators: inputs, outputs, formats and types.

An operand is NAME[?][:FORMAT][:TYPE]. `?` marks an optional one, which has a
descriptor also where it is absent. FORMAT is

    a format    the kernel takes or gives no other
    plain       that of the framework (the default)
    same        that of the node, see lowering.choose_format

TYPE is a data type; the default is the type of the node.
"""

TYPES = {
    "f16": "DT_FLOAT16",
    "f32": "DT_FLOAT",
    "i32": "DT_INT32",
    "u8": "DT_UINT8",
    "u16": "DT_UINT16",
}


class Operand:
    def __init__(self, text):
        name, *rest = text.split(":")
        self.name = name.rstrip("?")
        self.is_optional = name.endswith("?")
        types = [part for part in rest if part in TYPES]
        formats = [part for part in rest if part not in TYPES]
        self.dtype = TYPES[types[0]] if types else None
        self.format = formats[0] if formats else "plain"


class Operator:
    def __init__(
        self, inputs, outputs, fused_name, is_atomic, updates, library, by_place
    ):
        self.inputs = [Operand(text) for text in inputs.split()]
        self.outputs = [Operand(text) for text in outputs.split()]
        self.fused_name = fused_name  # in the names of fused kernels
        self.is_atomic = is_atomic  # adds its fp32 outputs in memory
        # By output: the input that it is, changed in place.
        self.updates = updates
        self.library = library  # that has it; None where an AI Core has a kernel
        self.by_place = by_place  # counts elements in memory: takes no padding

    @property
    def is_dynamic(self):
        """Any number of inputs x0, x1, ..."""
        return len(self.inputs) == 1 and self.inputs[0].name == "x*"

    def operand(self, index):
        return self.inputs[0 if self.is_dynamic else index]

    def output(self, index):
        return self.outputs[0 if self.is_dynamic else index]

    def output_name(self, index):
        name = self.output(index).name
        return f"y{index}" if name == "y*" else name

    def input_name(self, index):
        return f"x{index}" if self.is_dynamic else self.inputs[index].name


OPERATORS = {}


def _add(
    name,
    inputs,
    outputs,
    fused=None,
    atomic=False,
    updates=(),
    library=None,
    by_place=False,
):
    updates = dict(updates)
    OPERATORS[name] = Operator(
        inputs, outputs, fused, atomic, updates, library, by_place
    )


STATISTICS = "NC1HWC0:f32"

_add("Cast", "x:same", "y:same", "cast")
_add("TransData", "src:same", "dst:same")
_add("NetOutput", "x*", "")

_add(
    "Conv2D",
    "x:NC1HWC0 filter:FRACTAL_Z bias? offset_w?",
    "y:NC1HWC0",
    "conv2d",
)
_add(
    "Conv2DBackpropInputD",
    "filter:FRACTAL_Z out_backprop:NC1HWC0",
    "y:NC1HWC0",
)
_add(
    "Conv2DBackpropFilterD",
    "x:NC1HWC0 out_backprop:NC1HWC0",
    "y:FRACTAL_Z:f32",
    atomic=True,
)
_MATRICES = "x1:FRACTAL_NZ x2:FRACTAL_NZ bias? offset_w?"
_add("MatMulV2", _MATRICES, "y:FRACTAL_NZ", "mat_mul")
_add("BatchMatMulV2", _MATRICES, "y:FRACTAL_NZ", "batch_matmul_v2")
_add("BiasAddGrad", "x:same", "y")

_add(
    "BNTrainingReduce",
    "x:NC1HWC0",
    f"sum:{STATISTICS} square_sum:{STATISTICS}",
    "bn_training_reduce",
    atomic=True,
)
_add(
    "BNTrainingUpdateV2",
    f"x:NC1HWC0 sum:{STATISTICS} square_sum:{STATISTICS} scale:{STATISTICS} "
    f"offset:{STATISTICS}",
    f"y:NC1HWC0 batch_mean:{STATISTICS} batch_variance:{STATISTICS}",
)
_add(
    "BNTrainingUpdateGrad",
    f"grads:NC1HWC0 x:NC1HWC0 batch_mean:{STATISTICS} batch_variance:{STATISTICS}",
    f"diff_scale:{STATISTICS} diff_offset:{STATISTICS}",
    atomic=True,
)
_add(
    "BNTrainingReduceGrad",
    f"grads:NC1HWC0 x:NC1HWC0 diff_scale:{STATISTICS} diff_offset:{STATISTICS} "
    f"scale:{STATISTICS} batch_mean:{STATISTICS} batch_variance:{STATISTICS}",
    "y:NC1HWC0",
)
_add("LayerNorm", "x:same gamma beta", "y:same mean variance")
_add(
    "LayerNormXBackpropV2",
    "dy:same x:same variance mean gamma",
    "pd_x:same res_for_gamma:same:f32",
)
_add(
    "LayerNormBetaGammaBackpropV2",
    "dy:same res_for_gamma:same:f32",
    "pd_gamma:f32 pd_beta:f32",
    atomic=True,
)

_add("MaxPool", "x:NC1HWC0", "y:NC1HWC0")
_add("MaxPoolWithArgmax", "x:NC1HWC0", "y:NC1HWC0 argmax:NC1HWC0:u16")
_add(
    "MaxPoolGradWithArgmax",
    "x:NC1HWC0 grad:NC1HWC0 argmax:NC1HWC0:u16",
    "y:NC1HWC0",
)
_add("ReduceMeanD", "x:same", "y:same")
_add("ReduceSumD", "x", "y")

_add("Add", "x1:same x2:same", "y:same", "add")
_add("AddN", "x*:same", "y:same")
_add("Sub", "x1:same x2:same", "y:same", "sub")
_add("Mul", "x1:same x2:same", "y:same", "mul")
_add("Square", "x:same", "y:same")
_add("Sqrt", "x:same", "y:same")
_add("Relu", "x:same", "y:same", "relu")
_add("ReluGrad", "gradients:same features:same", "backprops:same")
_add("Gelu", "x:same", "y:same", "gelu")
_add("GeluGrad", "dy:same x:same y:same", "z:same")
_add("Tanh", "x:same", "y:same", "tanh")
_add("TanhGrad", "y:same dy:same", "z:same")
_add("SoftmaxV2", "x:same", "y:same")
_add("SoftmaxGrad", "softmax:same grad_softmax:same", "grad_x:same")
_add("DropOutGenMask", "shape:i32 prob:f32", "y:u8", library="aicpu_ascend_kernel")
_add("DropOutDoMask", "x:same mask:u8 keep_prob", "y:same", by_place=True)

_add("HcomAllReduce", "x*:f32", "y*:f32", library="ops_kernel_info_hccl")

_add("ConfusionTransposeD", "x:FRACTAL_NZ", "y:FRACTAL_NZ")
_add("GatherV2D", "x indices:i32", "y")
_add("UnsortedSegmentSumD", "x segment_ids:i32", "y")
_add("StridedSliceD", "x", "y")
_add("StridedSliceGradD", "dy", "output")
_add("TileD", "x", "y")
_add("OneHotD", "x:i32 on_value off_value", "y")
_add("SoftmaxCrossEntropyWithLogits", "features labels", "loss backprop")

_add("Assign", "ref:same value:same", "ref:same", updates=[(0, 0)])
_add("AssignSub", "var:same value:same", "var:same", updates=[(0, 0)])
_add(
    "ApplyMomentumD",
    "var:same accum:same lr grad:same momentum",
    "var:same accum:same",
    updates=[(0, 0), (1, 1)],
)
_add(
    "ApplyAdamD",
    "var:same m:same v:same beta1_power beta2_power lr beta1 beta2 epsilon "
    "grad:same",
    "var:same m:same v:same",
    updates=[(0, 0), (1, 1), (2, 2)],
)
_add(
    "LambApplyOptimizerAssign",
    "grad:same inputv:same inputm:same input3:same mul0_x mul1_x mul2_x mul3_x "
    "add2_y steps do_use_weight weight_decay_rate",
    "output0:same inputv:same inputm:same",
    updates=[(1, 1), (2, 2)],
)
_add(
    "LambApplyWeightAssign",
    "input0 input1 input2 input3:same input_param:same",
    "input_param:same",
    updates=[(0, 4)],
)
