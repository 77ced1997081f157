//===- Registry.cpp - All kernels of this library -------------------------===//

#include "npu/Kernels/Registry.h"

#include "Builtins.h"

using namespace npu;
using namespace npu::kernels;

Registry Registry::withBuiltins() {
  Registry registry;
  addCube(registry);
  addConversion(registry);
  addDataMovement(registry);
  addElementwise(registry);
  addPooling(registry);
  addReduction(registry);
  addSoftmax(registry);
  return registry;
}

const KernelEntry *Registry::lookup(std::string_view type) const {
  auto it = entries.find(type);
  return it == entries.end() ? nullptr : &it->second;
}
