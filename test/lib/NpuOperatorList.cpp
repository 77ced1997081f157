//===- NpuOperatorList.cpp - What docs/Operators.md is made from ----------===//
//
// Prints the operator types of the catalogue, one a line: type, inputs,
// outputs, attributes, engine, formats, whether shapes are inferred, how it is
// executed, numeric path, status bits, why nothing executes it; with tabs
// between them.
//
//===----------------------------------------------------------------------===//

#include "npu/Catalog/Catalog.h"
#include "npu/Execution/Plan.h"
#include "npu/Kernels/Registry.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace npu;

static llvm::StringRef describe(llvm::StringRef type,
                                const kernels::KernelEntry *kernel) {
  if (kernel)
    return "kernel";
  switch (getKind(type)) {
  case PlannedNode::Kind::Source:
    return "source";
  case PlannedNode::Kind::Output:
    return "output";
  case PlannedNode::Kind::FloatStatus:
    return "kernel";
  case PlannedNode::Kind::Nothing:
  case PlannedNode::Kind::Streams:
    return "ordering";
  case PlannedNode::Kind::Switch:
  case PlannedNode::Kind::Merge:
    return "choice";
  case PlannedNode::Kind::Control:
    return "control";
  case PlannedNode::Kind::Argument: // no type is one
  case PlannedNode::Kind::Compute:
    break;
  }
  return catalog::getRole(type) == catalog::Role::Call ? "inlined" : "";
}

int main() {
  const kernels::Registry registry = kernels::Registry::withBuiltins();
  for (const catalog::Row *row : catalog::all()) {
    const kernels::KernelEntry *kernel = registry.lookup(row->type);
    llvm::outs() << row->type << '\t' << row->inputs << '\t' << row->outputs
                 << '\t' << row->attributes << '\t' << getName(row->engine)
                 << '\t' << (kernel ? getName(row->formats) : "") << '\t'
                 << (catalog::infersShapes(*row) ? "yes" : "") << '\t'
                 << describe(row->type, kernel) << '\t'
                 << (kernel ? kernel->numericPath : "") << '\t'
                 << (kernel ? kernel->statusBits : 0) << '\t'
                 << catalog::getMissingFacts(row->type) << '\n';
  }
}
