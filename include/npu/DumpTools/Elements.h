//===- Elements.h - Elements of dumps as NumPy has them ---------*- C++ -*-===//

#ifndef NPU_DUMPTOOLS_ELEMENTS_H
#define NPU_DUMPTOOLS_ELEMENTS_H

#include "npu/Support/File.h"
#include "npu/Support/TensorDesc.h"

#include <optional>
#include <vector>

namespace npu::dump {

/// Turns the elements of a dump into elements of a type that NumPy has:
///
///   bfloat16, HiFloat8, float8, float4   float32, exactly
///   int4, int2                           int8, the element at the lowest bits
///                                        first
///   uint2, uint1                         uint8; the bits of uint1 from the
///                                        highest on, as numpy.unpackbits
///   qint8..32, quint8..16                the integers they are
///   complex32                            complex64
///
/// All others stay as they are.
class ElementDecoder {
public:
  /// None for strings, resources and other elements without a size, and for
  /// float6, whose packing nobody documents.
  static std::optional<ElementDecoder> create(DataType type);

  DataType storedType() const { return stored; }
  DataType arrayType() const { return array; }
  /// Whether decode only copies.
  bool isCopy() const { return isPlain; }

  /// Decodes \p count elements, of which the first starts at \p from, to \p to.
  void decode(const std::byte *from, uint64_t count, std::byte *to) const;

  /// Numbers in an element: 2 for complex ones.
  unsigned numComponents() const;
  /// The same elements as doubles, numComponents() each. Integers beyond 2^53
  /// are rounded.
  void decodeToDouble(const std::byte *from, uint64_t count, double *to) const;

private:
  ElementDecoder(DataType stored, DataType array)
      : stored(stored), array(array), isPlain(stored == array) {}

  DataType stored;
  DataType array;
  bool isPlain;
  /// The value of every pattern of a type of at most 8 bits.
  std::vector<float> values;
};

} // namespace npu::dump

#endif // NPU_DUMPTOOLS_ELEMENTS_H
