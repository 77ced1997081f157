"""BERT: an encoder layer, and the whole model with embeddings and pooler.

Activations are matrices with a row for each word of each sequence, as
TensorFlow's BERT has them.
"""

import numpy as np

from .frontend import Network, random_units
from .text import ints
from .training import add_step

EPSILON = 1e-12
MASKED = -10000.0  # added to the scores of words that are not there


class Bert:
    def __init__(self, name, options, training):
        self.options = options
        self.net = Network(name, "ND", training, options.seed)
        self.rows = options.batch * options.seq
        self.num_dropouts = 0
        # Tables are read as they are: variables are fp32, constants fp16.
        self.table_type = "DT_FLOAT" if training else "DT_FLOAT16"

    # Inputs

    def tokens(self, name, limit):
        """A vector of integers below `limit`, one for each word."""
        net, options = self.net, self.options
        shape = (options.batch, options.seq)

        def make():
            units = random_units(net.seed, name, self.rows)
            return ((units + 1) / 2 * limit).astype(np.int32)

        return net.reshape(net.data(name, "DT_INT32", shape, make), (self.rows,))

    def mask(self):
        """0 for words that are there, a large negative number for others. In the
        example the last eighth of each sequence is not there."""
        net, options = self.net, self.options
        shape = (options.batch, 1, 1, options.seq)
        present = np.arange(options.seq) < options.seq - options.seq // 8
        mask = net.data(
            "input_mask",
            "DT_FLOAT",
            shape,
            lambda: np.broadcast_to(present, shape),
        )
        one = net.constant("attention_mask/one", 1.0)
        absent = net.op("Sub", "attention_mask/sub", [one, mask], shape)
        scale = net.constant("attention_mask/scale", MASKED)
        return net.like("Mul", "attention_mask/mul", [absent, scale])

    # Pieces

    def dense(self, name, x, units):
        net = self.net
        fan_in = x.shape[1]
        weight = net.weights(f"{name}/kernel", (fan_in, units), fan_in)
        bias = net.zeros(f"{name}/bias", (units,))
        return net.op(
            "MatMulV2",
            f"{name}/MatMul",
            [x, weight, bias],
            (x.shape[0], units),
            transpose_x1=False,
            transpose_x2=False,
            offset_x=0,
        )

    def layer_norm(self, name, x):
        net = self.net
        width = (x.shape[1],)
        gamma = net.ones(f"{name}/gamma", width)
        beta = net.zeros(f"{name}/beta", width)
        moments = (x.shape[0], 1)
        y, _, _ = net.op(
            "LayerNorm",
            name,
            [x, gamma, beta],
            [x.shape, moments, moments],
            begin_norm_axis=1,
            begin_params_axis=1,
            epsilon=EPSILON,
        )
        return y

    def dropout(self, name, x):
        """Only in training. The mask of a seed is always the same."""
        net, probability = self.net, self.options.dropout if self.net.training else 0
        if not probability:
            return x
        self.num_dropouts += 1
        count = int(np.prod(x.shape))
        shape = net.constant(f"{name}/shape", x.shape, "DT_INT32")
        keep = net.constant(f"{name}/keep_prob", 1 - probability)
        mask = net.op(
            "DropOutGenMask",
            f"{name}/DropOutGenMask",
            [shape, keep],
            (-(-count // 128) * 16,),
            seed=self.options.seed,
            seed2=self.num_dropouts,
        )
        return net.like("DropOutDoMask", f"{name}/DropOutDoMask", [x, mask, keep])

    def split_heads(self, name, x):
        options = self.options
        size = options.hidden // options.heads
        batch, seq, heads = options.batch, options.seq, options.heads
        return self.net.op(
            "ConfusionTransposeD",
            name,
            [x],
            (batch, heads, seq, size),
            perm=ints(0, 2, 1, 3),
            shape=ints(batch, seq, heads, size),
            transpose_first=False,
        )

    def merge_heads(self, name, x):
        shape = (self.rows, self.options.hidden)
        return self.net.op(
            "ConfusionTransposeD",
            name,
            [x],
            shape,
            perm=ints(0, 2, 1, 3),
            shape=ints(*shape),
            transpose_first=True,
        )

    def product(self, name, a, b, shape, transpose_b=False):
        return self.net.op(
            "BatchMatMulV2",
            name,
            [a, b],
            shape,
            adj_x1=False,
            adj_x2=transpose_b,
            offset_x=0,
        )

    def attention(self, name, x, mask):
        net, options = self.net, self.options
        query, key, value = (
            self.split_heads(
                f"{name}/self/{part}/transpose",
                self.dense(f"{name}/self/{part}", x, options.hidden),
            )
            for part in ("query", "key", "value")
        )
        square = (*query.shape[:3], options.seq)
        scores = self.product(f"{name}/self/MatMul", query, key, square, True)
        scale = net.constant(f"{name}/self/scale", query.shape[3] ** -0.5)
        scores = net.like("Mul", f"{name}/self/Mul", [scores, scale])
        scores = net.like("Add", f"{name}/self/add", [scores, mask])
        weights = net.like(
            "SoftmaxV2",
            f"{name}/self/Softmax",
            [scores],
            axes=ints(-1),
            half_to_float=False,
        )
        weights = self.dropout(f"{name}/self/dropout", weights)
        context = self.product(f"{name}/self/MatMul_1", weights, value, query.shape)
        return self.merge_heads(f"{name}/self/transpose", context)

    def residual(self, name, x, before):
        """x through a dense layer, plus what was before, normalised."""
        y = self.dense(f"{name}/dense", x, self.options.hidden)
        y = self.dropout(f"{name}/dropout", y)
        y = self.net.like("Add", f"{name}/add", [y, before])
        return self.layer_norm(f"{name}/LayerNorm", y)

    def layer(self, name, x, mask):
        context = self.attention(f"{name}/attention", x, mask)
        x = self.residual(f"{name}/attention/output", context, x)
        y = self.dense(f"{name}/intermediate/dense", x, self.options.intermediate)
        y = self.net.like("Gelu", f"{name}/intermediate/Gelu", [y])
        return self.residual(f"{name}/output", y, x)

    def embeddings(self):
        net, options = self.net, self.options
        width, dtype = options.hidden, self.table_type
        name = "bert/embeddings"

        def table(part, size):
            return net.weights(f"{name}/{part}_embeddings", (size, width), width)

        def look_up(part, rows, ids):
            return net.op(
                "GatherV2D",
                f"{name}/{part}_embeddings/GatherV2",
                [rows, ids],
                (self.rows, width),
                dtype,
                axis=0,
            )

        self.word_table = table("word", options.vocab)
        ids = self.tokens("input_ids", options.vocab)
        words = look_up("word", self.word_table, ids)
        ids = self.tokens("segment_ids", 2)
        types = look_up("token_type", table("token_type", 2), ids)
        x = net.like("Add", f"{name}/add", [words, types], dtype=dtype)
        x = net.reshape(x, (options.batch, options.seq, width))
        places = net.op(
            "StridedSliceD",
            f"{name}/strided_slice",
            [table("position", options.positions)],
            (options.seq, width),
            dtype,
            begin=ints(0, 0),
            end=ints(options.seq, width),
            strides=ints(1, 1),
        )
        places = net.reshape(places, (1, options.seq, width))
        x = net.like("Add", f"{name}/add_1", [x, places], dtype=dtype)
        x = net.reshape(x, (self.rows, width))
        x = self.layer_norm(f"{name}/LayerNorm", x)
        return self.dropout(f"{name}/dropout", x)

    def first_words(self, x):
        """The first word of each sequence."""
        options = self.options
        shape = (options.batch, options.seq, options.hidden)
        return self.net.op(
            "StridedSliceD",
            "bert/pooler/strided_slice",
            [self.net.reshape(x, shape)],
            (options.batch, options.hidden),
            begin=ints(0, 0, 0),
            end=ints(options.batch, 1, options.hidden),
            strides=ints(1, 1, 1),
            shrink_axis_mask=2,
        )

    def pooler(self, x):
        y = self.dense("bert/pooler/dense", self.first_words(x), self.options.hidden)
        return self.net.like("Tanh", "bert/pooler/Tanh", [y])

    def classify(self, x):
        """Logits of the classes of each sequence."""
        return self.dense("classifier", self.pooler(x), self.options.classes)

    def predict_words(self, x):
        """Logits of the vocabulary for some words of each sequence, by the table
        of the embeddings."""
        net, options = self.net, self.options
        name = "cls/predictions"
        count = options.batch * options.predictions
        shape = (options.batch, options.predictions)

        def make():
            units = random_units(net.seed, "masked_positions", count)
            return ((units + 1) / 2 * options.seq).astype(np.int32)

        places = net.data("masked_positions", "DT_INT32", shape, make)
        starts = np.arange(options.batch).reshape(-1, 1) * options.seq
        starts = net.constant(f"{name}/starts", starts, "DT_INT32")
        rows = net.like("Add", f"{name}/add", [places, starts], dtype="DT_INT32")
        x = net.op(
            "GatherV2D",
            f"{name}/GatherV2",
            [x, net.reshape(rows, (count,))],
            (count, options.hidden),
            axis=0,
        )
        x = self.dense(f"{name}/transform/dense", x, options.hidden)
        x = net.like("Gelu", f"{name}/transform/Gelu", [x])
        x = self.layer_norm(f"{name}/transform/LayerNorm", x)
        bias = net.zeros(f"{name}/output_bias", (options.vocab,))
        return net.op(
            "MatMulV2",
            f"{name}/MatMul",
            [x, self.word_table, bias],
            (count, options.vocab),
            transpose_x1=False,
            transpose_x2=True,
            offset_x=0,
        )

    def hidden_states(self):
        """What comes into a single layer."""
        net, shape = self.net, (self.rows, self.options.hidden)
        count = shape[0] * shape[1]
        make = lambda: random_units(net.seed, "hidden_states", count) * 3**0.5
        return net.data("hidden_states", "DT_FLOAT", shape, make)

    def encode(self):
        """The whole model: the states of all words."""
        x, mask = self.embeddings(), self.mask()
        for number in range(self.options.layers):
            x = self.layer(f"bert/encoder/layer_{number}", x, mask)
        return x


def build_inference(options):
    model = Bert("bert", options, training=False)
    x = model.encode()
    model.net.output(x)
    model.net.output(model.pooler(x))
    return model.net


def build_layer(options):
    model = Bert("bert_layer", options, training=False)
    x, mask = model.hidden_states(), model.mask()
    model.net.output(model.layer("bert/encoder/layer_0", x, mask))
    return model.net


def build_training(options):
    model = Bert("bert", options, training=True)
    states = model.encode()
    if options.task == "classify":
        logits = model.classify(states)
    else:
        logits = model.predict_words(states)
    add_step(model.net, logits, options)
    return model.net


def build_layer_training(options):
    model = Bert("bert_layer", options, training=True)
    x, mask = model.hidden_states(), model.mask()
    x = model.layer("bert/encoder/layer_0", x, mask)
    add_step(model.net, model.classify(x), options)
    return model.net
