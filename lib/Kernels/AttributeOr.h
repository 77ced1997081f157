//===- AttributeOr.h - Attributes that not all types have -------*- C++ -*-===//

#ifndef NPU_LIB_KERNELS_ATTRIBUTEOR_H
#define NPU_LIB_KERNELS_ATTRIBUTEOR_H

#include "npu/Catalog/Catalog.h"
#include "npu/Kernels/Kernel.h"

namespace npu::kernels {

/// The attribute \p name of \p spec, or the catalogue's default; \p otherwise
/// for operator types that do not have it, in a kernel for several types.
template <typename T>
Expected<T> attributeOr(const NodeSpec &spec, const std::string &name,
                        T otherwise) {
  const catalog::Row *row = catalog::lookup(spec.type);
  if (!spec.attrs.has(name) && !(row && catalog::findAttribute(*row, name)))
    return otherwise;
  return spec.attribute<T>(name);
}

} // namespace npu::kernels

#endif // NPU_LIB_KERNELS_ATTRIBUTEOR_H
