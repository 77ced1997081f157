//===- StripInstrumentation.cpp - Remove all instrumentation --------------===//

#include "npu/Transforms/Passes.h"

using namespace mlir;

namespace npu {
#define GEN_PASS_DEF_STRIPINSTRUMENTATION
#include "npu/Transforms/Passes.h.inc"
} // namespace npu

namespace {
struct StripInstrumentation
    : npu::impl::StripInstrumentationBase<StripInstrumentation> {
  void runOnOperation() override {
    bool changed = false;
    getOperation()->walk([&](Operation *op) {
      if (!isa_and_nonnull<npu::instr::InstrDialect>(op->getDialect()))
        return;
      op->erase();
      changed = true;
    });
    if (!changed)
      markAllAnalysesPreserved();
  }
};
} // namespace
