//===- MemberTypes.cpp - What members of a fused node compute -------------===//

#include "MemberTypes.h"

#include "npu/Dialect/GE/IR/GE.h"

#include "mlir/IR/Builders.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace npu;

bool npu::isInteger8(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getElementType().isSignlessInteger(8);
}

/// The logical tensor of \p like with elements of \p element, which are not of
/// 8 bits: its blocks of channels have 16 lanes.
static Type withElements(RankedTensorType like, Type element) {
  constexpr int64_t lanes = 16;
  auto layout = dyn_cast_or_null<ge::LayoutAttr>(like.getEncoding());
  SmallVector<int64_t, 5> shape(like.getShape());
  if (layout && layout.getFormat().strref() == "NC1HWC0" && shape.size() == 5 &&
      shape[4] != lanes) {
    if (!layout.getOriginFormat() || !layout.getOriginShape())
      return {};
    StringRef format = layout.getOriginFormat();
    ArrayRef<int64_t> origin = layout.getOriginShape().asArrayRef();
    const size_t channel = format.find('C');
    if (channel >= origin.size() || origin[channel] < 0)
      return {};
    shape[1] = llvm::divideCeil(origin[channel], lanes);
    shape[4] = lanes;
  } else if (layout && layout.getFormat().strref().starts_with("FRACTAL") &&
             shape.back() != lanes) {
    return {};
  }
  return RankedTensorType::get(shape, element, like.getEncoding());
}

Type npu::inferMemberType(StringRef memberType, ArrayRef<Type> operands,
                          Type result, bool isLast) {
  auto end = dyn_cast<RankedTensorType>(result);
  if (isLast || !end || operands.empty() || !isa<RankedTensorType>(operands[0]))
    return result;
  Builder builder(result.getContext());
  if (memberType == "AscendAntiQuant")
    return withElements(cast<RankedTensorType>(operands[0]),
                        builder.getF16Type());
  if (isInteger8(operands[0]))
    return withElements(end, builder.getI32Type());
  if (isInteger8(result))
    return withElements(end, builder.getF16Type());
  return result;
}
