//===- TensorFile.h - The file of one tensor --------------------*- C++ -*-===//

#ifndef NPU_LIB_DUMPTOOLS_TENSORFILE_H
#define NPU_LIB_DUMPTOOLS_TENSORFILE_H

#include "npu/DumpTools/Convert.h"
#include "npu/DumpTools/Elements.h"

namespace npu::dump {

/// A tensor that is ready to be written: in the layout that was asked for, its
/// elements still as in the dump.
struct TensorContent {
  ElementDecoder decoder;
  Shape shape;
  Format format = Format::ND;
  ByteView data; ///< numElements(shape) stored elements
};

/// Writes \p content to \p path as \p type, in pieces.
Status writeTensorFile(const std::string &path, const TensorContent &content,
                       ConvertType type);

/// "float16", as NumPy names the type; for file names.
std::string getNumpyName(DataType dtype);

} // namespace npu::dump

#endif // NPU_LIB_DUMPTOOLS_TENSORFILE_H
