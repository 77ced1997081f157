"""texts.py UTILS_BENCH grow|generic FROM TO NODES"""

import os
import sys

_, bench, mode, source, target, nodes = sys.argv
sys.path.insert(0, bench)

from suite import texts

if mode == "grow":
    texts.grow(source, target, nodes=int(nodes))
else:
    texts.write_generic(target, int(nodes), os.path.getsize(source))
    print(f"{os.path.getsize(target) / os.path.getsize(source):.2f}")
