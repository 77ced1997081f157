//===- RecoverFusedTable.cpp - What kernel names spell --------------------===//

#include "RecoverFusedTable.h"

#include "npu/Catalog/Catalog.h"

using namespace llvm;
using namespace npu;

// Of two names of which one begins with the other, the longer is found first:
// parseChain takes the longest match.
static constexpr FusedMember members[] = {
    {"abs", "Abs"},
    {"add", "Add", "", true},
    {"ascend_anti_quant", "AscendAntiQuant", "scale, offset", false, true},
    {"ascend_dequant", "AscendDequant", "", false, true},
    {"ascend_quant", "AscendQuant", "scale, offset", false, true, true},
    {"ascend_requant", "AscendRequant"},
    {"batch_matmul", "BatchMatMul"},
    {"batch_matmul_v2", "BatchMatMulV2"},
    {"bias_add", "BiasAdd"},
    {"bn_training_reduce", "BNTrainingReduce", "", false, false, true},
    {"cast", "Cast"},
    {"conv2d", "Conv2D"},
    {"conv2d_backprop_input_d", "Conv2DBackpropInputD"},
    {"depthwise_conv2d", "DepthwiseConv2D"},
    {"eltwise", "Eltwise", "", true},
    {"exp", "Exp"},
    {"fully_connection", "FullyConnection"},
    {"gelu", "Gelu"},
    {"leaky_relu", "LeakyRelu"},
    {"mat_mul", "MatMulV2"},
    {"max_pool", "MaxPool", "ksize, strides, padding"},
    {"maximum", "Maximum", "", true},
    {"minimum", "Minimum", "", true},
    {"mul", "Mul", "", true},
    {"neg", "Neg"},
    {"pooling", "Pooling", "mode, window, stride, pad"},
    {"read_select", "ReadSelect"},
    {"real_div", "RealDiv", "", true},
    {"reduce_mean_d", "ReduceMeanD", "axes"},
    {"relu", "Relu"},
    {"relu6", "Relu6"},
    {"rsqrt", "Rsqrt"},
    {"sigmoid", "Sigmoid"},
    {"sqrt", "Sqrt"},
    {"square", "Square"},
    {"sub", "Sub", "", true},
    {"tanh", "Tanh"},
};

/// The ports of \p type that are not optional, or all.
static unsigned countInputs(StringRef type, bool all) {
  const catalog::Row *row = catalog::lookup(type);
  return llvm::count_if(catalog::getPorts(row->inputs),
                        [&](const catalog::Port &port) {
                          return all || port.kind == catalog::Port::Required;
                        });
}

unsigned FusedMember::minInputs() const {
  return isBinary ? 2 : countInputs(type, false);
}

unsigned FusedMember::maxInputs() const {
  return isBinary ? 2 : countInputs(type, true);
}

unsigned FusedMember::numResults() const {
  return catalog::getPorts(catalog::lookup(type)->outputs).size();
}

static const FusedMember *matchMember(StringRef text) {
  const FusedMember *best = nullptr;
  for (const FusedMember &member : members) {
    if (!text.starts_with(member.kernelName))
      continue;
    StringRef behind = text.drop_front(member.kernelName.size());
    if (!behind.empty() && behind.front() != '_')
      continue;
    if (!best || member.kernelName.size() > best->kernelName.size())
      best = &member;
  }
  return best;
}

const FusedMember *npu::findMember(StringRef type) {
  const auto *found = llvm::find_if(
      members, [&](const FusedMember &member) { return member.type == type; });
  return found == std::end(members) ? nullptr : found;
}

SmallVector<const FusedMember *> npu::parseChain(StringRef kernelName,
                                                 StringRef &rest) {
  SmallVector<const FusedMember *> chain;
  rest = kernelName;
  if (!rest.consume_front("te_fused_op_"))
    return chain;
  while (const FusedMember *member = matchMember(rest)) {
    chain.push_back(member);
    rest = rest.drop_front(member->kernelName.size());
    rest.consume_front("_");
  }
  return chain;
}

//===----------------------------------------------------------------------===//
// Idioms
//===----------------------------------------------------------------------===//

// TensorFlow's usual leaky ReLU: f1 * x + f2 * |x|.
static constexpr StringLiteral leakyTypes[] = {"Abs", "Mul", "Mul", "Add"};
static constexpr FusedOperand leakyAbs[] = {{FusedOperand::Input, 0}};
static constexpr FusedOperand leakyMul[] = {{FusedOperand::Input, 1},
                                            {FusedOperand::Input, 2}};
static constexpr FusedOperand leakyMul1[] = {{FusedOperand::Input, 3},
                                             {FusedOperand::Member, 0}};
static constexpr FusedOperand leakyAdd[] = {{FusedOperand::Member, 1},
                                            {FusedOperand::Member, 2}};
static const ArrayRef<FusedOperand> leakyOperands[] = {leakyAbs, leakyMul,
                                                       leakyMul1, leakyAdd};

static const FusionIdiom idioms[] = {
    {"f1*x + f2*abs(x)", leakyTypes, leakyOperands, {0, 2}},
};

ArrayRef<FusionIdiom> npu::getFusionIdioms() { return idioms; }
