"""Writes a graph text with If inside If, as many levels as the argument says.

The innermost graph holds the op `leaf`.
"""

import sys

levels = int(sys.argv[1])
for level in range(levels):
    name = f"level{level}" if level else "root"
    if level + 1 == levels:
        op = 'name: "leaf" type: "NetOutput"'
    else:
        op = (
            'name: "if" type: "If" '
            f'subgraph_name: "level{level + 1}" subgraph_name: "else"'
        )
    print(f'graph {{ name: "{name}" op {{ {op} }} }}')
print('graph { name: "else" op { name: "other" type: "NetOutput" } }')
