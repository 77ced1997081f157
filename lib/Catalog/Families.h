//===- Families.h - The tables of rows --------------------------*- C++ -*-===//
//
// One table for one family of operators, each in a file of its own.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_LIB_CATALOG_FAMILIES_H
#define NPU_LIB_CATALOG_FAMILIES_H

#include "RowText.h"

namespace npu::catalog {

extern const std::span<const Row> arrangementRows;
extern const std::span<const Row> cubeRows;
extern const std::span<const Row> elementwiseRows;
extern const std::span<const Row> normalizationRows;
extern const std::span<const Row> optimizerRows;
extern const std::span<const Row> structureRows;

} // namespace npu::catalog

#endif // NPU_LIB_CATALOG_FAMILIES_H
