"""The command line of generate-graph.py."""

import argparse
import os

import numpy as np

from . import bert, fusion, lowering, memory, resnet, sample, streams
from .optimizers import OPTIMIZERS

DESCRIPTION = "Writes the graph text of a network as GE's compiler leaves it."
SMALL = 16 << 10  # bytes


def numbers(text):
    return [int(part) for part in text.split(",")]


def positive(text):
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{value} is not positive")
    return value


def add_common(parser):
    parser.add_argument("output", metavar="OUT.txt", help="the built graph")
    parser.add_argument("--seed", type=int, default=1)


def add_network(parser):
    add_common(parser)
    parser.add_argument(
        "--stage-before-fusion",
        metavar="FILE",
        help="write the stage before fusion as well, for --fusion-source",
    )
    parser.add_argument(
        "--inputs", metavar="DIR", help="write an example of each input, NAME.npy"
    )
    parser.add_argument(
        "--weights",
        choices=("all", "small", "none"),
        default="small",
        help="the constants and variables whose data is in the text; "
        f"small: of up to {SMALL} bytes",
    )
    parser.add_argument("--batch", type=positive, default=1)


def add_resnet(parser):
    add_network(parser)
    parser.add_argument("--image", type=positive, default=224, help="its edge")
    parser.add_argument("--channels", type=positive, default=3)
    parser.add_argument("--classes", type=positive, default=1000)
    parser.add_argument(
        "--width", type=positive, default=64, help="channels of the first stage"
    )
    parser.add_argument(
        "--blocks",
        type=numbers,
        default=[3, 4, 6, 3],
        help="blocks of each stage; 3,4,6,3 is ResNet-50",
    )


def add_bert(parser):
    add_network(parser)
    parser.add_argument("--layers", type=positive, default=12)
    parser.add_argument("--hidden", type=positive, default=768)
    parser.add_argument("--heads", type=positive, default=12)
    parser.add_argument(
        "--intermediate", type=positive, help="width within a layer (4 x hidden)"
    )
    parser.add_argument("--seq", type=positive, default=128, help="words")
    parser.add_argument("--vocab", type=positive, default=30522)
    parser.add_argument("--positions", type=positive, default=512)


def check_bert(parser, options):
    if options.hidden % options.heads:
        parser.error("--hidden must be a multiple of --heads")
    if options.seq > options.positions:
        parser.error("--seq must not be above --positions")
    options.intermediate = options.intermediate or 4 * options.hidden


def check_resnet(parser, options):
    if options.image >> (len(options.blocks) + 1) < 1:
        parser.error(
            f"--image must be at least {2 << len(options.blocks)} for "
            f"{len(options.blocks)} stages"
        )


def add_sample(parser):
    add_common(parser)
    parser.add_argument("--input", metavar="OUT.npy", help="write an image, too")
    parser.add_argument("--size", type=int, default=16, help="edge of the image")


def probability(text):
    value = float(text)
    if not 0 <= value < 1:
        raise argparse.ArgumentTypeError(f"{value} is not in [0, 1)")
    return value


def add_layer_training(parser):
    add_training(parser)
    parser.add_argument("--classes", type=positive, default=2)
    parser.add_argument("--dropout", type=probability, default=0.0)


def add_bert_training(parser):
    add_layer_training(parser)
    parser.add_argument(
        "--task",
        choices=("classify", "predict"),
        default="classify",
        help="what is learnt: a class of each sequence, or words that are masked",
    )
    parser.add_argument(
        "--predictions", type=positive, default=20, help="words of each sequence"
    )


def add_training(parser):
    parser.add_argument("--optimizer", choices=OPTIMIZERS, default="momentum")
    parser.add_argument("--learning-rate", type=float, default=0.01)
    parser.add_argument(
        "--all-reduce",
        action="store_true",
        help="add up the gradients of all devices, on a stream of its own",
    )
    parser.add_argument(
        "--loss-scale", type=float, default=1024.0, help="of the gradients in fp16"
    )


class Model:
    """A network: what builds it, and its options."""

    def __init__(self, text, build, options, check):
        self.text = text
        self.build = build
        self.options = options
        self.check = check

    def add_options(self, parser):
        for add in self.options:
            add(parser)


NETWORKS = {
    "resnet": Model(
        "ResNet-50, inference", resnet.build_inference, [add_resnet], check_resnet
    ),
    "resnet-train": Model(
        "a step of its training",
        resnet.build_training,
        [add_resnet, add_training],
        check_resnet,
    ),
    "bert": Model("BERT, inference", bert.build_inference, [add_bert], check_bert),
    "bert-train": Model(
        "a step of its training",
        bert.build_training,
        [add_bert, add_bert_training],
        check_bert,
    ),
    "bert-layer": Model(
        "one layer of BERT, inference", bert.build_layer, [add_bert], check_bert
    ),
    "bert-layer-train": Model(
        "a step of its training",
        bert.build_layer_training,
        [add_bert, add_layer_training],
        check_bert,
    ),
}


def write(graph, path):
    with open(path, "w", newline="\n") as out:
        graph.write(out)


def write_sample(parser, options):
    if options.size < 2 or options.size % 2:
        parser.error("--size must be even and at least 2")
    random = sample.Random(options.seed)
    write(sample.build(options.size, random), options.output)
    if options.input:
        np.save(options.input, sample.make_image(options.size, random))


def write_inputs(network, folder):
    os.makedirs(folder, exist_ok=True)
    for op in network.ops:
        if op.type == "Data":
            np.save(os.path.join(folder, f"{op.name}.npy"), op.data())


def write_network(options, model):
    network = model.build(options)
    limit = {"all": float("inf"), "small": SMALL, "none": -1}[options.weights]
    stage = lowering.lower(network, limit)
    if options.stage_before_fusion:
        write(stage, options.stage_before_fusion)
    graph = fusion.fuse(stage)
    streams.assign(graph)
    memory.place(graph)
    write(graph, options.output)
    if options.inputs:
        write_inputs(network, options.inputs)


def main():
    parser = argparse.ArgumentParser(description=DESCRIPTION)
    models = parser.add_subparsers(dest="model", metavar="MODEL", required=True)
    add_sample(models.add_parser("sample", help="a small network"))
    for name, model in NETWORKS.items():
        model.add_options(models.add_parser(name, help=model.text))
    options = parser.parse_args()
    if options.model == "sample":
        write_sample(models.choices["sample"], options)
        return
    model = NETWORKS[options.model]
    model.check(models.choices[options.model], options)
    write_network(options, model)
