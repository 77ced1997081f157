"""Updates of variables by their gradients."""

import numpy as np

from .text import ints


def zeros_like(net, value, suffix):
    name = f"{value.op.name}/{suffix}"
    return net.variable(name, value.shape, lambda: np.zeros(value.shape))


class Momentum:
    def __init__(self, net, rate):
        self.net = net
        self.rate = net.constant("train/learning_rate", rate)
        self.momentum = net.constant("train/momentum", 0.9)

    def update(self, name, value, gradient):
        output, _ = self.net.op(
            "ApplyMomentumD",
            f"{name}/ApplyMomentum",
            [
                value,
                zeros_like(self.net, value, "Momentum"),
                self.rate,
                gradient,
                self.momentum,
            ],
            [value.shape, value.shape],
            "DT_FLOAT",
            use_nesterov=False,
            use_locking=False,
        )
        return [output.op]

    def finish(self, updates):
        """Nothing is left to do."""


class Adam:
    BETAS = 0.9, 0.999

    def __init__(self, net, rate):
        self.net = net
        self.powers = [
            net.variable(f"train/beta{i}_power", (), lambda beta=beta: beta)
            for i, beta in enumerate(self.BETAS, 1)
        ]
        self.betas = [
            net.constant(f"train/beta{i}", beta) for i, beta in enumerate(self.BETAS, 1)
        ]
        self.rate = net.constant("train/learning_rate", rate)
        self.epsilon = net.constant("train/epsilon", 1e-8)

    def update(self, name, value, gradient):
        output, _, _ = self.net.op(
            "ApplyAdamD",
            f"{name}/ApplyAdam",
            [
                value,
                zeros_like(self.net, value, "Adam"),
                zeros_like(self.net, value, "Adam_1"),
                *self.powers,
                self.rate,
                *self.betas,
                self.epsilon,
                gradient,
            ],
            [value.shape, value.shape, value.shape],
            "DT_FLOAT",
            use_locking=False,
            use_nesterov=False,
        )
        return [output.op]

    def finish(self, updates):
        """The powers change when everybody has read them."""
        for number, (power, beta) in enumerate(zip(self.powers, self.betas), 1):
            name = f"train/beta{number}_power"
            change(self.net, "Mul", name, power, beta, updates)


class Lamb:
    def __init__(self, net, rate):
        self.net = net
        self.rate = net.constant("train/learning_rate", rate)
        self.numbers = [
            net.constant(f"train/{name}", number)
            for name, number in (
                ("beta1", 0.9),
                ("one_minus_beta1", 0.1),
                ("beta2", 0.999),
                ("one_minus_beta2", 0.001),
                ("epsilon", 1e-6),
            )
        ]
        self.one = net.constant("train/one", 1)
        self.decay = net.constant("train/weight_decay_rate", 0.01)
        self.steps = net.variable("train/steps", (), lambda: 1)

    def norm(self, name, value):
        square = self.net.like("Square", f"{name}/Square", [value], dtype="DT_FLOAT")
        total = self.net.op(
            "ReduceSumD",
            f"{name}/Sum",
            [square],
            (),
            "DT_FLOAT",
            axes=ints(*range(len(value.shape))),
            keep_dims=False,
        )
        return self.net.like("Sqrt", f"{name}/Sqrt", [total], dtype="DT_FLOAT")

    def update(self, name, value, gradient):
        """Biases and norms, which have one axis, do not decay."""
        decays = self.net.constant(f"{name}/do_use_weight", len(value.shape) > 1)
        step, _, _ = self.net.op(
            "LambApplyOptimizerAssign",
            f"{name}/LambApplyOptimizerAssign",
            [
                gradient,
                zeros_like(self.net, value, "Lamb_1"),
                zeros_like(self.net, value, "Lamb"),
                value,
                *self.numbers,
                self.steps,
                decays,
                self.decay,
            ],
            [value.shape] * 3,
            "DT_FLOAT",
        )
        weight = self.net.op(
            "LambApplyWeightAssign",
            f"{name}/LambApplyWeightAssign",
            [
                self.norm(f"{name}/w_norm", value),
                self.norm(f"{name}/g_norm", step),
                self.rate,
                step,
                value,
            ],
            value.shape,
            "DT_FLOAT",
        )
        return [step.op, weight.op]

    def finish(self, updates):
        """Steps are counted when everybody has read their number."""
        change(self.net, "Add", "train/steps", self.steps, self.one, updates)


def change(net, op_type, name, variable, operand, after):
    """Gives a variable a new value."""
    result = net.op(
        op_type, f"{name}/{op_type.lower()}", [variable, operand], (), "DT_FLOAT"
    )
    assign = net.op(
        "Assign",
        f"{name}/Assign",
        [variable, result],
        (),
        "DT_FLOAT",
        validate_shape=True,
        use_locking=False,
    ).op
    assign.controls = list(after)


OPTIMIZERS = {"momentum": Momentum, "adam": Adam, "lamb": Lamb}
