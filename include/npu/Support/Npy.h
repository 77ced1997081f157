//===- Npy.h - NumPy array files -------------------------------*- C++ -*-===//
//
// The .npy format 1.0, 2.0 and 3.0 of numpy.lib.format: magic, version, header
// length, a Python dictionary {descr, fortran_order, shape}, raw data.
// Little-endian. Types: float16/32/64, (u)int8..64, bool,
// complex64/128. NumPy has no bfloat16, so it is written as float32.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_SUPPORT_NPY_H
#define NPU_SUPPORT_NPY_H

#include "npu/Support/File.h"
#include "npu/Support/TensorDesc.h"

namespace npu {

/// An array whose bytes belong to someone else: numElements(shape) elements of
/// dtype, outermost dimension first.
struct NpyView {
  DataType dtype = DataType::Undefined;
  Shape shape;
  ByteView data;
};

/// An array file in memory. array.data points into it, and is aligned to the
/// element size in files that NumPy or writeNpy made; of an array in Fortran
/// order it points into a copy in C order.
struct NpyFile {
  MappedFile file;
  NpyView array;
  std::vector<std::byte> reordered = {};
};

/// Reads the array in \p bytes. Fails on other formats, object arrays, Fortran
/// order, big-endian and unsupported types, and data shorter or longer than
/// the shape says.
Expected<NpyView> parseNpy(ByteView bytes);

/// Maps \p path and reads it as parseNpy does, Fortran order too.
Expected<NpyFile> readNpy(const std::string &path);

/// What stands in front of the data of an array in a file. Fails on types NumPy
/// lacks.
Expected<std::string> makeNpyHeader(DataType dtype, const Shape &shape);

/// "<f2": how NumPy spells \p dtype in a file; empty for types it lacks.
std::string_view getNpyDescr(DataType dtype);

/// Writes \p array to \p path, replacing an older file. bfloat16 becomes
/// float32. Fails on types NumPy lacks, and where the data is not exactly as
/// long as the shape says.
Status writeNpy(const std::string &path, const NpyView &array);

} // namespace npu

#endif // NPU_SUPPORT_NPY_H
