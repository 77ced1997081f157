#!/usr/bin/env python3
"""Writes the graph text of a network as GE's compiler leaves it."""

from graphgen.cli import main

if __name__ == "__main__":
    main()
