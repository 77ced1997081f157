//===- RecoverFusedTable.cpp - What kernel names spell --------------------===//

#include "RecoverFusedTable.h"

using namespace llvm;
using namespace npu;

// Of two names of which one begins with the other, the longer is found first:
// parseChain takes the longest match.
static constexpr FusedMember members[] = {
    {"abs", "Abs", 1, 1},
    {"add", "Add", 2, 2, "", true},
    {"ascend_anti_quant", "AscendAntiQuant", 1, 1, "scale, offset", false,
     true},
    {"ascend_dequant", "AscendDequant", 2, 2, "", false, true},
    {"ascend_quant", "AscendQuant", 1, 1, "scale, offset", false, true, true},
    {"ascend_requant", "AscendRequant", 2, 2},
    {"batch_matmul", "BatchMatMul", 2, 3},
    {"batch_matmul_v2", "BatchMatMulV2", 2, 4},
    {"bias_add", "BiasAdd", 2, 2},
    {"bn_training_reduce", "BNTrainingReduce", 1, 1, "", false, false, true, 2},
    {"cast", "Cast", 1, 1},
    {"conv2d", "Conv2D", 2, 4},
    {"conv2d_backprop_input_d", "Conv2DBackpropInputD", 2, 2},
    {"depthwise_conv2d", "DepthwiseConv2D", 2, 4},
    {"eltwise", "Eltwise", 2, 2, "", true},
    {"exp", "Exp", 1, 1},
    {"fully_connection", "FullyConnection", 2, 4},
    {"gelu", "Gelu", 1, 1},
    {"leaky_relu", "LeakyRelu", 1, 1},
    {"mat_mul", "MatMulV2", 2, 4},
    {"max_pool", "MaxPool", 1, 1, "ksize, strides, padding"},
    {"maximum", "Maximum", 2, 2, "", true},
    {"minimum", "Minimum", 2, 2, "", true},
    {"mul", "Mul", 2, 2, "", true},
    {"neg", "Neg", 1, 1},
    {"pooling", "Pooling", 1, 1, "mode, window, stride, pad"},
    {"read_select", "ReadSelect", 1, 1},
    {"real_div", "RealDiv", 2, 2, "", true},
    {"reduce_mean_d", "ReduceMeanD", 1, 1, "axes"},
    {"relu", "Relu", 1, 1},
    {"relu6", "Relu6", 1, 1},
    {"rsqrt", "Rsqrt", 1, 1},
    {"sigmoid", "Sigmoid", 1, 1},
    {"sqrt", "Sqrt", 1, 1},
    {"square", "Square", 1, 1},
    {"sub", "Sub", 2, 2, "", true},
    {"tanh", "Tanh", 1, 1},
};

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
