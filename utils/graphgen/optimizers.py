"""Updates of variables by their gradients."""

import numpy as np


def zeros_like(net, value, suffix):
    name = f"{value.op.name}/{suffix}"
    return net.variable(name, value.shape, lambda: np.zeros(value.shape))


class Momentum:
    def __init__(self, net, rate):
        self.net = net
        self.rate = net.constant("train/learning_rate", rate)
        self.momentum = net.constant("train/momentum", 0.9)

    def update(self, name, value, gradient):
        return self.net.op(
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
        )[0].op

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
        return self.net.op(
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
        )[0].op

    def finish(self, updates):
        """The powers change when everybody has read them."""
        for number, (power, beta) in enumerate(zip(self.powers, self.betas), 1):
            name = f"train/beta{number}_power"
            product = self.net.op(
                "Mul", f"{name}/mul", [power, beta], (), "DT_FLOAT"
            )
            assign = self.net.op(
                "Assign",
                f"{name}/Assign",
                [power, product],
                (),
                "DT_FLOAT",
                validate_shape=True,
                use_locking=False,
            ).op
            assign.controls = list(updates)


OPTIMIZERS = {"momentum": Momentum, "adam": Adam}
