#!/usr/bin/env python3
"""ResNet-50 in PyTorch on the CPU, as one emulates fp16 or trains without an NPU.

  torch-resnet.py emulate THREADS RUNS FOLDER
  torch-resnet.py train THREADS RUNS

`emulate` computes in fp32, rounds every result to fp16 and saves it with
np.save, each run into a new folder below FOLDER. `train` makes steps in fp32 of
a batch of 8: forward, backward, SGD with momentum. Prints one line of JSON.

The threads of OpenBLAS, which PyTorch uses, are those of OPENBLAS_NUM_THREADS.
"""

import json
import os
import sys
import time

import numpy as np
import torch
from torch import nn
from torch.nn import functional


class Convolution(nn.Module):
    """With batch normalisation to train, without it to infer."""

    def __init__(self, inputs, outputs, kernel, stride, train):
        super().__init__()
        self.convolution = nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2,
                                     bias=not train)
        self.norm = nn.BatchNorm2d(outputs) if train else nn.Identity()

    def forward(self, x):
        return self.norm(self.convolution(x))


class Bottleneck(nn.Module):
    def __init__(self, inputs, width, stride, train):
        super().__init__()
        self.first = Convolution(inputs, width, 1, 1, train)
        self.second = Convolution(width, width, 3, stride, train)
        self.third = Convolution(width, 4 * width, 1, 1, train)
        self.down = (Convolution(inputs, 4 * width, 1, stride, train)
                     if inputs != 4 * width or stride != 1 else None)

    def forward(self, x, result):
        y = result(functional.relu(result(self.first(x))))
        y = result(functional.relu(result(self.second(y))))
        y = result(self.third(y))
        if self.down:
            x = result(self.down(x))
        return result(functional.relu(result(y + x)))


class ResNet50(nn.Module):
    """`result` is called with the result of every operator and may replace it."""

    def __init__(self, train):
        super().__init__()
        self.stem = Convolution(3, 64, 7, 2, train)
        blocks, inputs = [], 64
        for stage, count in enumerate((3, 4, 6, 3)):
            width = 64 << stage
            for block in range(count):
                stride = 2 if stage and not block else 1
                blocks.append(Bottleneck(inputs, width, stride, train))
                inputs = 4 * width
        self.blocks = nn.ModuleList(blocks)
        self.classify = nn.Linear(2048, 1000)

    def forward(self, x, result=lambda tensor: tensor):
        x = result(functional.relu(result(self.stem(x))))
        x = result(functional.max_pool2d(x, 3, 2, 1))
        for block in self.blocks:
            x = block(x, result)
        return result(self.classify(result(x.mean((2, 3)))))


class Dump:
    def __init__(self, folder):
        self.folder, self.count = folder, 0
        os.makedirs(folder)

    def __call__(self, tensor):
        half = tensor.half()
        np.save(os.path.join(self.folder, f"{self.count}.npy"), half.numpy())
        self.count += 1
        return half.float()


def emulation(folder):
    model = ResNet50(train=False).eval()
    with torch.no_grad():
        for weight in model.parameters():
            weight.copy_(weight.half().float())
    image = torch.rand(1, 3, 224, 224).half().float()

    def run(number):
        with torch.no_grad():
            model(image, Dump(os.path.join(folder, str(number))))

    return run


def training():
    model = ResNet50(train=True).train()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    images, labels = torch.randn(8, 3, 224, 224), torch.randint(0, 1000, (8,))

    def run(_):
        optimizer.zero_grad(set_to_none=True)
        functional.cross_entropy(model(images), labels).backward()
        optimizer.step()

    return run


def main(mode, threads, runs, *folder):
    torch.set_num_threads(int(threads))
    torch.manual_seed(0)
    run = {"emulate": emulation, "train": training}[mode](*folder)
    seconds = []
    run("warm-up")
    for number in range(int(runs)):
        begin = time.perf_counter()
        run(number)
        seconds.append(time.perf_counter() - begin)
    print(json.dumps({"seconds": seconds, "version": torch.__version__}))


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__.strip())
    main(*sys.argv[1:])
