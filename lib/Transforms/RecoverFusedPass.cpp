//===- RecoverFusedPass.cpp - ge-recover-fused ----------------------------===//

#include "npu/Transforms/Passes.h"
#include "npu/Transforms/RecoverFused.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace npu;

namespace npu {
#define GEN_PASS_DEF_RECOVERFUSED
#include "npu/Transforms/Passes.h.inc"
} // namespace npu

namespace {
struct RecoverFused : public npu::impl::RecoverFusedBase<RecoverFused> {
  using Base::Base;

  void runOnOperation() override {
    OwningOpRef<ModuleOp> source;
    if (!fusionSource.empty()) {
      source =
          parseSourceFile<ModuleOp>(fusionSource, ParserConfig(&getContext()));
      if (!source)
        return signalPassFailure();
    }
    std::optional<QuantAssumption> quant;
    if (!assumeQuant.empty()) {
      quant = parseQuantAssumption(assumeQuant);
      if (!quant) {
        getOperation().emitError() << "assume-quant is '" << assumeQuant
                                   << "'; expected SCALE,OFFSET, two numbers";
        return signalPassFailure();
      }
    }
    for (auto graph : getOperation().getOps<ge::GraphOp>())
      if (failed(recoverFused(
              graph, source ? findStage(graph, *source) : ge::GraphOp(),
              quant)))
        signalPassFailure();
  }
};
} // namespace
