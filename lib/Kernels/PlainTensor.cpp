//===- PlainTensor.cpp - Tensors of any format in row-major order ---------===//

#include "PlainTensor.h"

using namespace npu;
using namespace npu::kernels;

TensorDesc kernels::getPlainDesc(const TensorDesc &desc) {
  TensorDesc plain = desc;
  if (isPlain(desc.format))
    return plain;
  plain.format = desc.originFormat;
  plain.groups = 0;
  plain.shape = desc.originShape;
  return plain;
}

Expected<PlainInput> PlainInput::create(const TensorDesc &desc) {
  PlainInput input;
  input.plain = getPlainDesc(desc);
  if (isPlain(desc.format))
    return input;
  auto transfer = FormatTransfer::create(desc, input.plain);
  if (!transfer)
    return transfer.takeStatus();
  input.unpack = std::move(*transfer);
  return input;
}

const std::byte *PlainInput::read(const std::byte *data,
                                  std::vector<std::byte> &copy,
                                  ThreadPool &pool) const {
  if (!unpack)
    return data;
  copy.resize(plain.byteSize());
  unpack->run(data, copy.data(), &pool);
  return copy.data();
}

Expected<PlainOutput> PlainOutput::create(const TensorDesc &desc) {
  PlainOutput output;
  output.plain = getPlainDesc(desc);
  if (isPlain(desc.format))
    return output;
  auto transfer = FormatTransfer::create(output.plain, desc);
  if (!transfer)
    return transfer.takeStatus();
  output.pack = std::move(*transfer);
  return output;
}

std::byte *PlainOutput::begin(std::byte *data,
                              std::vector<std::byte> &copy) const {
  if (!pack)
    return data;
  copy.resize(plain.byteSize());
  return copy.data();
}

void PlainOutput::finish(std::byte *data, const std::vector<std::byte> &copy,
                         ThreadPool &pool) const {
  if (pack)
    pack->run(copy.data(), data, &pool);
}
