//===- InstrumentableOpInterface.cpp - Defaults for any operation ---------===//

#include "npu/Dialect/Instr/IR/InstrumentableOpInterface.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Location.h"

using namespace mlir;
using namespace npu::instr;

#include "npu/Dialect/Instr/IR/InstrumentableOpInterface.cpp.inc"

std::string npu::instr::detail::getDefaultName(Operation *op) {
  if (auto name = op->getLoc()->findInstanceOf<NameLoc>())
    return name.getName().str();
  return {};
}

template <typename Range>
static SmallVector<IndexedValue> getTensors(Range &&values) {
  SmallVector<IndexedValue> tensors;
  for (auto [index, value] : llvm::enumerate(values))
    if (isa<TensorType>(value.getType()))
      tensors.push_back({static_cast<int64_t>(index), value});
  return tensors;
}

SmallVector<IndexedValue> npu::instr::detail::getDefaultOperands(Operation *op) {
  return getTensors(op->getOperands());
}

SmallVector<IndexedValue> npu::instr::detail::getDefaultResults(Operation *op) {
  return getTensors(op->getResults());
}
