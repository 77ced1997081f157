//===- Register.cpp - The operators of the cube ---------------------------===//

#include "../Builtins.h"
#include "../DroppedInputs.h"
#include "Convolution.h"
#include "FilterGradient.h"
#include "MatMul.h"

#include "npu/Kernels/Registry.h"

using namespace npu;
using namespace npu::kernels;

/// Operators with the size of their output as an input. Nothing reads it: the
/// descriptor has it as well.
template <KernelFactory Create, size_t Size>
static Expected<std::unique_ptr<Kernel>>
createSized(const NodeSpec &spec, const NumericConfig &config) {
  return createWithoutInputs(spec, config, Create, Size);
}

void npu::kernels::addCube(Registry &registry) {
  constexpr std::string_view path =
      "products in the input type, fp32 sum in order of K from the bias, one "
      "rounding; 8-bit integers exact";
  constexpr StatusBits bits = status::CastOverflow | status::CastUnderflow |
                              status::CubeOverflow | status::CubeNanInfInput;
  struct Row {
    const char *type;
    KernelFactory create;
  };
  static constexpr Row rows[] = {
      {"Conv2D", cube::createConv2D},
      {"DepthwiseConv2D", cube::createDepthwiseConv2D},
      {"Conv2DBackpropInputD", cube::createConv2DBackpropInput},
      {"DepthwiseConv2DBackpropInputD", cube::createConv2DBackpropInput},
      {"Conv2DBackpropFilterD", cube::createFilterGradient},
      {"DepthwiseConv2DBackpropFilterD", cube::createFilterGradient},
      {"Conv2DTransposeD", cube::createConv2DTranspose},
      {"Deconvolution", cube::createConv2DTranspose},
      {"Conv2DBackpropInput", createSized<cube::createConv2DBackpropInput, 0>},
      {"DepthwiseConv2DBackpropInput",
       createSized<cube::createConv2DBackpropInput, 0>},
      {"Conv2DBackpropFilter", createSized<cube::createFilterGradient, 1>},
      {"DepthwiseConv2DBackpropFilter",
       createSized<cube::createFilterGradient, 1>},
      {"Conv2DTranspose", createSized<cube::createConv2DTranspose, 0>},
      {"MatMul", cube::createMatMul},
      {"MatMulV2", cube::createMatMul},
      {"MatMulV3", cube::createMatMul},
      {"BatchMatMul", cube::createMatMul},
      {"BatchMatMulV2", cube::createMatMul},
      {"BatchMatMulV3", cube::createMatMul},
      {"FullyConnection", cube::createFullyConnection},
  };
  for (const Row &row : rows)
    registry.add(row.type, {row.create, path, bits});
}
