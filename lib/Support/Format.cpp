//===- Format.cpp - The table of Ascend formats ---------------------------===//

#include "npu/Support/Format.h"

#include <charconv>

using namespace npu;

// Indexed by the format number; graph text's spelling.
static constexpr std::string_view names[NumFormats] = {
    "NCHW",
    "NHWC",
    "ND",
    "NC1HWC0",
    "FRACTAL_Z",
    "NC1C0HWPAD",
    "NHWC1C0",
    "FSR_NCHW",
    "FRACTAL_DECONV",
    "C1HWNC0",
    "FRACTAL_DECONV_TRANSPOSE",
    "FRACTAL_DECONV_SP_STRIDE_TRANS",
    "NC1HWC0_C04",
    "FRACTAL_Z_C04",
    "CHWN",
    "DECONV_SP_STRIDE8_TRANS",
    "HWCN",
    "NC1KHKWHWC0",
    "BN_WEIGHT",
    "FILTER_HWCK",
    "LOOKUP_LOOKUPS",
    "LOOKUP_KEYS",
    "LOOKUP_VALUE",
    "LOOKUP_OUTPUT",
    "LOOKUP_HITS",
    "C1HWNCoC0",
    "MD",
    "NDHWC",
    "FRACTAL_ZZ",
    "FRACTAL_NZ",
    "NCDHW",
    "DHWCN",
    "NDC1HWC0",
    "FRACTAL_Z_3D",
    "CN",
    "NC",
    "DHWNC",
    "FRACTAL_Z_3D_TRANSPOSE",
    "FRACTAL_ZN_LSTM",
    "FRACTAL_Z_G",
    "FORMAT_RESERVED",
    "ALL",
    "NULL",
    "ND_RNN_BIAS",
    "FRACTAL_ZN_RNN",
    "NYUV",
    "NYUV_A",
    "NCL",
    "FRACTAL_Z_WINO",
    "C1HWC0",
    "FRACTAL_NZ_C0_16",
    "FRACTAL_NZ_C0_32",
    "FRACTAL_NZ_C0_2",
    "FRACTAL_NZ_C0_4",
    "FRACTAL_NZ_C0_8",
};

std::string_view npu::getName(Format format) {
  return names[static_cast<unsigned>(format)];
}

std::optional<FormatAndGroups> npu::parseFormat(std::string_view name) {
  FormatAndGroups result;
  if (size_t colon = name.find(':'); colon != std::string_view::npos) {
    std::string_view digits = name.substr(colon + 1);
    auto [end, error] = std::from_chars(
        digits.data(), digits.data() + digits.size(), result.groups);
    if (error != std::errc() || end != digits.data() + digits.size())
      return std::nullopt;
    name = name.substr(0, colon);
  }
  if (name == "RESERVED") { // what older stacks print for an unknown format
    result.format = Format::RESERVED;
    return result;
  }
  if (name.starts_with("FORMAT_") && name != "FORMAT_RESERVED")
    name.remove_prefix(7);
  if (name.starts_with("HASHTABLE_"))
    name.remove_prefix(10);
  if (name == "FRACTAL_DECONV_SP_STRIDE8_TRANS")
    name.remove_prefix(8);
  for (unsigned i = 0; i < NumFormats; ++i) {
    if (names[i] != name)
      continue;
    result.format = static_cast<Format>(i);
    return result;
  }
  return std::nullopt;
}

std::optional<Format> npu::formatFromNumber(int64_t number) {
  if (number < 0 || number >= NumFormats)
    return std::nullopt;
  return static_cast<Format>(number);
}
