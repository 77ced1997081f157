"""What evaluate-graph.py reads and computes with."""
