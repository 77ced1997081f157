"""Streams of the device: communication has one of its own, and events between
the streams keep the order of what depends on each other."""

from .graph import Node

NO_TASKS = ("Const", "Variable", "Data")


def assign(graph):
    """Puts nodes on streams, with a Send after what another stream needs and a
    Recv before what needs it."""
    for node in graph.nodes:
        node.stream = int(node.op_type.startswith("Hcom"))
    sends, receives = {}, {}
    events = {}  # by node and the stream that waits for it: the Recv
    for node in graph.nodes:
        sources = [source for source, _ in node.sources] + node.controls
        for source in dict.fromkeys(sources):
            if source.op_type in NO_TASKS or source.stream == node.stream:
                continue
            receive = events.get((source, node.stream))
            if not receive:
                event = {"event_id": len(events)}
                send = Node(f"_Send_{len(events)}", "Send", [], [], dict(event))
                receive = Node(f"_Recv_{len(events)}", "Recv", [], [], event)
                send.stream, receive.stream = source.stream, node.stream
                send.controls = [source]
                sends.setdefault(source, []).append(send)
                receives.setdefault(node, []).append(receive)
                events[source, node.stream] = receive
            node.controls = node.controls + [receive]
    graph.nodes = [
        each
        for node in graph.nodes
        for each in receives.get(node, []) + [node] + sends.get(node, [])
    ]
    graph.events = len(events)
    graph.streams = 1 + max(node.stream for node in graph.nodes)
