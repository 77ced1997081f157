"""make-chain.py DIR: a chain of 60 multiplications, of which the 30th
overflows."""

import sys

import numpy as np

folder = sys.argv[1]
tensor, scalar = "tensor<2x3xf16>", "tensor<f16>"
with open(folder + "/chain.mlir", "w") as out:
    print("ge.graph @chain {", file=out)
    print(f'  %x, %x_ctl = node "Data" "x"() -> {tensor}', file=out)
    print(f'  %one, %one_ctl = node "Data" "one"() -> {scalar}', file=out)
    print(f'  %big, %big_ctl = node "Data" "big"() -> {scalar}', file=out)
    value = "%x"
    for i in range(1, 61):
        factor = "%big" if i == 30 else "%one"
        print(f'  %n{i}, %n{i}_ctl = node "Mul" "n{i}"({value}, {factor}) id {i}'
              f' : ({tensor}, {scalar}) -> {tensor}', file=out)
        value = f"%n{i}"
    print(f'  %out_ctl = node "NetOutput" "out"({value}) id 61 : ({tensor})',
          file=out)
    print("}", file=out)
np.save(folder + "/x.npy", np.array([[1, 2, 300], [4, 5, 6]], np.float16))
np.save(folder + "/one.npy", np.array(1, np.float16))
np.save(folder + "/big.npy", np.array(1000, np.float16))
