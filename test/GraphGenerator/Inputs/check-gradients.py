"""Compares the gradients of the first step of a generated network with those of
the same network in float64.

    check-gradients.py NETWORK GRAPH.txt INPUTS DUMPS LOSS.npy TOLERANCE

NETWORK is bert-layer, bert or resnet; INPUTS has the .npy files of the inputs,
DUMPS the output dumps of all ApplyMomentumD, whose accumulators start at zero:
after the first step they are the gradients. The weights are read from the text.

The reference differentiates by itself; what it does is compared with differences
of the loss first. Exits with 1 if a gradient is farther from its reference than
TOLERANCE times the latter's norm.
"""

import pathlib
import sys

import numpy as np

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "utils"))

import autodiff as ad
from evaluation.dump import GE_TYPES, read_dumps
from evaluation.graph import one, read_graph, unescape
from evaluation.layout import to_logical


class Network:
    """Variables by name, inputs by name, and the attributes of the nodes."""

    def __init__(self, nodes, folder):
        self.nodes = nodes
        self.inputs = {
            path.stem: np.load(path) for path in pathlib.Path(folder).glob("*.npy")
        }
        self.variables = {
            name: self.read_variable(node)
            for name, node in nodes.items()
            if node.type == "Variable"
        }

    @staticmethod
    def read_variable(node):
        desc = node.outputs[0]
        data = unescape(one(one(node.attrs["value"], "t"), "data"))
        array = np.frombuffer(data, GE_TYPES[desc.dtype]).reshape(desc.shape)
        return ad.Value(to_logical(array, desc))

    def __getitem__(self, name):
        return self.variables[name]

    def loss(self):
        raise NotImplementedError


class Bert(Network):
    def dense(self, name, x):
        return x @ self[f"{name}/kernel"] + self[f"{name}/bias"]

    def layer_norm(self, name, x):
        gamma, beta = self[f"{name}/gamma"], self[f"{name}/beta"]
        return ad.normalize(x, gamma, beta, (1,), 1e-12)

    def layer(self, name, x):
        batch, _, _, seq = self.inputs["input_mask"].shape
        split = self.nodes[f"{name}/attention/self/query/transpose"].ints("shape")

        def heads(part):
            y = self.dense(f"{name}/attention/self/{part}", x)
            return y.reshape(*split).transpose(0, 2, 1, 3)

        query, key, value = (heads(part) for part in ("query", "key", "value"))
        scores = (query @ key.transpose(0, 1, 3, 2)) * split[3] ** -0.5
        scores = scores + ad.Value((1 - self.inputs["input_mask"]) * -10000.0)
        context = ad.softmax(scores) @ value
        context = context.transpose(0, 2, 1, 3).reshape(batch * seq, -1)
        y = self.dense(f"{name}/attention/output/dense", context) + x
        x = self.layer_norm(f"{name}/attention/output/LayerNorm", y)
        y = ad.gelu(self.dense(f"{name}/intermediate/dense", x))
        y = self.dense(f"{name}/output/dense", y) + x
        return self.layer_norm(f"{name}/output/LayerNorm", y)

    def hidden_states(self):
        return ad.Value(self.inputs["hidden_states"])

    def loss(self):
        x = self.hidden_states()
        batch, _, _, seq = self.inputs["input_mask"].shape
        number = 0
        while f"bert/encoder/layer_{number}/output/dense/kernel" in self.variables:
            x = self.layer(f"bert/encoder/layer_{number}", x)
            number += 1
        return ad.cross_entropy(self.logits(x, batch, seq), self.inputs["labels"])

    def logits(self, x, batch, seq):
        if "classifier/kernel" in self.variables:
            x = ad.pick(x, np.arange(batch) * seq)
            x = ad.tanh(self.dense("bert/pooler/dense", x))
            return self.dense("classifier", x)
        name = "cls/predictions"
        rows = self.inputs["masked_positions"] + np.arange(batch)[:, None] * seq
        x = ad.look_up(x, rows.ravel())
        x = ad.gelu(self.dense(f"{name}/transform/dense", x))
        x = self.layer_norm(f"{name}/transform/LayerNorm", x)
        table = self["bert/embeddings/word_embeddings"].transpose(1, 0)
        return x @ table + self[f"{name}/output_bias"]


class WholeBert(Bert):
    def hidden_states(self):
        name = "bert/embeddings"
        batch, seq = self.inputs["input_ids"].shape
        x = ad.look_up(
            self[f"{name}/word_embeddings"], self.inputs["input_ids"].ravel()
        )
        x = x + ad.look_up(
            self[f"{name}/token_type_embeddings"], self.inputs["segment_ids"].ravel()
        )
        places = np.tile(np.arange(seq), batch)
        x = x + ad.look_up(self[f"{name}/position_embeddings"], places)
        return self.layer_norm(f"{name}/LayerNorm", x)


class ResNet(Network):
    def conv(self, name, norm, x, stride):
        x = ad.convolve(x, self[f"{name}/weight"], stride)
        scale = self[f"{norm}/gamma"].reshape(1, -1, 1, 1)
        shift = self[f"{norm}/beta"].reshape(1, -1, 1, 1)
        return ad.normalize(x, scale, shift, (0, 2, 3), 1e-5)

    def block(self, name, x, stride):
        def conv(part, x, stride=1):
            return self.conv(f"{name}/conv_{part}", f"{name}/bn_{part}", x, stride)

        y = ad.relu(conv("a", x))
        y = ad.relu(conv("b", y, stride))
        y = conv("c", y)
        if f"{name}/conv_shortcut/weight" in self.variables:
            x = conv("shortcut", x, stride)
        return ad.relu(y + x)

    def loss(self):
        x = ad.Value(self.inputs["image"])
        x = ad.pool_maxima(ad.relu(self.conv("conv1", "bn1", x, 2)))
        stage = number = 0
        while f"layer{stage + 1}/block{number}/conv_a/weight" in self.variables:
            stride = 2 if stage and not number else 1
            x = self.block(f"layer{stage + 1}/block{number}", x, stride)
            number += 1
            if f"layer{stage + 1}/block{number}/conv_a/weight" not in self.variables:
                stage, number = stage + 1, 0
        x = ad.mean_of_planes(x)
        logits = x @ self["fc/weight"].transpose(1, 0) + self["fc/bias"]
        return ad.cross_entropy(logits, self.inputs["labels"])


def check_reference(network, names):
    """The gradients are those of the loss: differences along random lines."""
    random = np.random.default_rng(1)
    step = 1e-6
    for name in names:
        value = network[name]
        line = random.standard_normal(value.array.shape)
        losses = []
        for sign in (1, -1):
            value.array += sign * step * line
            losses.append(float(network.loss().array))
            value.array -= sign * step * line
        slope = (losses[0] - losses[1]) / (2 * step)
        expected = float((value.gradient * line).sum())
        if abs(slope - expected) > 1e-5 * max(abs(expected), 1e-2):
            sys.exit(f"{name}: the reference has slope {expected}, its loss {slope}")


def main():
    kind, graph, inputs, dumps, loss, tolerance = sys.argv[1:]
    kinds = {"bert-layer": Bert, "bert": WholeBert, "resnet": ResNet}
    nodes = read_graph(graph)
    network = kinds[kind](nodes, inputs)
    reference = network.loss()
    reference.backward()

    dumps, _ = read_dumps(dumps)
    updates = {
        node.inputs[0][0][0]: node
        for node in nodes.values()
        if node.type == "ApplyMomentumD"
    }
    if not updates:
        sys.exit(f"{graph}: no ApplyMomentumD")
    check_reference(network, updates)
    bad = 0
    difference = abs(float(np.load(loss)) - float(reference.array))
    print(f"loss {float(reference.array):.5f}, difference {difference:.2g}")
    bad += difference > float(tolerance) * float(reference.array)
    largest = max(np.linalg.norm(network[name].gradient) for name in updates)
    for name, node in updates.items():
        array, _, _ = dumps[node.name].outputs[1]
        gradient = to_logical(array, node.outputs[1]).astype(np.float64)
        expected = network[name].gradient
        norm = np.linalg.norm(expected)
        error = np.linalg.norm(gradient - expected)
        # A gradient that is zero but for rounding is as exact as the others.
        limit = float(tolerance) * max(norm, 0.01 * largest)
        verdict = "" if error <= limit else "  TOO FAR"
        bad += error > limit
        share = f"{error / limit * 100:.0f} %"
        print(f"{name}: norm {norm:.3g}, error {share} of the limit{verdict}")
    sys.exit(int(bad > 0))


main()
