//===- SeedRandom.cpp - Seeds for random operators ------------------------===//

#include "npu/Transforms/SeedRandom.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace npu;

static bool isRandom(StringRef type) {
  return llvm::StringSwitch<bool>(type)
      .Cases({"DropOutGenMask", "DropOutGenMaskV3", "DropOutGenMaskV4"}, true)
      .Cases({"RandomStandardNormal", "RandomUniform", "RandomUniformInt",
              "TruncatedNormal"},
             true)
      .Default(false);
}

std::vector<std::string> npu::seedRandomNodes(ge::GraphOp graph,
                                              uint64_t seed) {
  std::vector<std::string> names;
  Builder builder(graph.getContext());
  for (auto node : graph.getBody().getOps<ge::NodeOp>()) {
    auto isZero = [&](StringRef name) {
      auto value = dyn_cast_or_null<IntegerAttr>(node.getNodeAttr(name));
      return !value || value.getInt() == 0;
    };
    if (!isRandom(node.getOpType()) || !isZero("seed") || !isZero("seed2"))
      continue;
    NamedAttrList attrs(node.getAttrs());
    attrs.set("seed", builder.getI64IntegerAttr(static_cast<int64_t>(seed)));
    attrs.set("seed2", builder.getI64IntegerAttr(static_cast<int64_t>(
                           llvm::xxh3_64bits(node.getNodeName()) >> 1)));
    node.setAttrsAttr(attrs.getDictionary(graph.getContext()));
    names.push_back(node.getNodeName().str());
  }
  return names;
}
