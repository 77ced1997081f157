//===- Builtins.h - What registers the kernels of this library --*- C++ -*-===//
//
// One function per source file that holds kernels. Called explicitly rather
// than from static constructors, which a static library would lose.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_LIB_KERNELS_BUILTINS_H
#define NPU_LIB_KERNELS_BUILTINS_H

namespace npu::kernels {

class Registry;

void addCube(Registry &registry);
void addConversion(Registry &registry);
void addDataMovement(Registry &registry);
void addElementwise(Registry &registry);
void addPooling(Registry &registry);
void addReduction(Registry &registry);
void addSoftmax(Registry &registry);

} // namespace npu::kernels

#endif // NPU_LIB_KERNELS_BUILTINS_H
