//===- InstrDialect.cpp - The instr dialect -------------------------------===//

#include "npu/Dialect/Instr/IR/Instr.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace npu::instr;

#include "npu/Dialect/Instr/IR/InstrDialect.cpp.inc"
#include "npu/Dialect/Instr/IR/InstrEnums.cpp.inc"

#define GET_OP_CLASSES
#include "npu/Dialect/Instr/IR/InstrOps.cpp.inc"

void InstrDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "npu/Dialect/Instr/IR/InstrOps.cpp.inc"
      >();
}

static LogicalResult verifyIndices(DumpOp dump, ArrayRef<int64_t> indices,
                                   size_t values, StringRef side) {
  if (indices.size() != values)
    return dump.emitOpError() << "has " << values << ' ' << side << "s but "
                              << indices.size() << ' ' << side << " indices";
  for (int64_t index : indices)
    if (index < 0)
      return dump.emitOpError()
             << "expects " << side << " indices from 0, found " << index;
  return success();
}

LogicalResult DumpOp::verify() {
  if (getInputs().empty() && getOutputs().empty())
    return emitOpError("dumps nothing");
  if (failed(
          verifyIndices(*this, getInputIndices(), getInputs().size(), "input")))
    return failure();
  return verifyIndices(*this, getOutputIndices(), getOutputs().size(),
                       "output");
}
