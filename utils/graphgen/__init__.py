"""Writes GE graph texts of whole networks, the way the compiler leaves them.

    frontend   a network as a framework describes it: tensors and operators
    gradients  the operators that compute its gradients
    optimizers updates of its variables
    training   a step of its training
    operators  what the compiler knows of operators
    lowering   types and formats of the device, Cast and TransData
    fusion     chains of operators become one kernel
    graph      nodes and tensors of a graph text
    formats    formats and data types
    text       protobuf's text format

    sample, resnet, bert   the networks
"""
