//===- PlainTensor.h - Tensors of any format in row-major order -*- C++ -*-===//
//
// Operators that rearrange elements are defined on the logical tensor. These
// two give it: the tensor itself where its format is plain, and a copy without
// blocks and padding of one in a private format.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_LIB_KERNELS_PLAINTENSOR_H
#define NPU_LIB_KERNELS_PLAINTENSOR_H

#include "npu/Kernels/FormatTransfer.h"

#include <optional>
#include <vector>

namespace npu::kernels {

/// The logical tensor of \p desc: its dimensions and what they are called.
TensorDesc getPlainDesc(const TensorDesc &desc);

/// A tensor to read in row-major order.
class PlainInput {
public:
  /// Fails when the layout is unknown or contradicts its origin.
  static Expected<PlainInput> create(const TensorDesc &desc);

  const Shape &shape() const { return plain.shape; }
  DataType dtype() const { return plain.dtype; }

  /// The elements of the tensor at \p data, which \p copy may come to hold.
  const std::byte *read(const std::byte *data, std::vector<std::byte> &copy,
                        ThreadPool &pool) const;

private:
  TensorDesc plain;
  std::optional<FormatTransfer> unpack;
};

/// A tensor to write in row-major order.
class PlainOutput {
public:
  /// Fails as PlainInput::create does.
  static Expected<PlainOutput> create(const TensorDesc &desc);

  const Shape &shape() const { return plain.shape; }
  DataType dtype() const { return plain.dtype; }

  /// Where to write the elements of the tensor at \p data: there, or in
  /// \p copy. Then call finish with the same arguments.
  std::byte *begin(std::byte *data, std::vector<std::byte> &copy) const;
  void finish(std::byte *data, const std::vector<std::byte> &copy,
              ThreadPool &pool) const;

private:
  TensorDesc plain;
  std::optional<FormatTransfer> pack;
};

} // namespace npu::kernels

#endif // NPU_LIB_KERNELS_PLAINTENSOR_H
