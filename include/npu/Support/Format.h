//===- Format.h - The Ascend tensor formats --------------------*- C++ -*-===//

#ifndef NPU_SUPPORT_FORMAT_H
#define NPU_SUPPORT_FORMAT_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace npu {

/// Values are the low byte of ge::Format, which is also the number in dump
/// files.
enum class Format : uint8_t {
  NCHW = 0,
  NHWC = 1,
  ND = 2,
  NC1HWC0 = 3,
  FRACTAL_Z = 4,
  NC1C0HWPAD = 5,
  NHWC1C0 = 6,
  FSR_NCHW = 7,
  FRACTAL_DECONV = 8,
  C1HWNC0 = 9,
  FRACTAL_DECONV_TRANSPOSE = 10,
  FRACTAL_DECONV_SP_STRIDE_TRANS = 11,
  NC1HWC0_C04 = 12,
  FRACTAL_Z_C04 = 13,
  CHWN = 14,
  FRACTAL_DECONV_SP_STRIDE8_TRANS = 15,
  HWCN = 16,
  NC1KHKWHWC0 = 17,
  BN_WEIGHT = 18,
  FILTER_HWCK = 19,
  HASHTABLE_LOOKUP_LOOKUPS = 20,
  HASHTABLE_LOOKUP_KEYS = 21,
  HASHTABLE_LOOKUP_VALUE = 22,
  HASHTABLE_LOOKUP_OUTPUT = 23,
  HASHTABLE_LOOKUP_HITS = 24,
  C1HWNCoC0 = 25,
  MD = 26,
  NDHWC = 27,
  FRACTAL_ZZ = 28,
  FRACTAL_NZ = 29,
  NCDHW = 30,
  DHWCN = 31,
  NDC1HWC0 = 32,
  FRACTAL_Z_3D = 33,
  CN = 34,
  NC = 35,
  DHWNC = 36,
  FRACTAL_Z_3D_TRANSPOSE = 37,
  FRACTAL_ZN_LSTM = 38,
  FRACTAL_Z_G = 39,
  RESERVED = 40,
  ALL = 41,
  NULL_FORMAT = 42,
  ND_RNN_BIAS = 43,
  FRACTAL_ZN_RNN = 44,
  NYUV = 45,
  NYUV_A = 46,
  NCL = 47,
  FRACTAL_Z_WINO = 48,
  C1HWC0 = 49,
  FRACTAL_NZ_C0_16 = 50,
  FRACTAL_NZ_C0_32 = 51,
  FRACTAL_NZ_C0_2 = 52,
  FRACTAL_NZ_C0_4 = 53,
  FRACTAL_NZ_C0_8 = 54,
};
constexpr unsigned NumFormats = 55;

/// A primary format with the group count that graph text appends to it
/// ("FRACTAL_Z:240").
struct FormatAndGroups {
  Format format = Format::ND;
  int64_t groups = 0; ///< the sub-format; 0 means none
};

/// "NC1HWC0", as graph text spells it ("FORMAT_RESERVED" for RESERVED,
/// "LOOKUP_KEYS" and its like without their HASHTABLE_ prefix, and
/// "DECONV_SP_STRIDE8_TRANS").
std::string_view getName(Format format);

/// Inverse of getName; also accepts "FORMAT_" in front, the names of the
/// enumeration, and a ":groups" suffix.
std::optional<FormatAndGroups> parseFormat(std::string_view name);

/// The format whose number is \p number.
std::optional<Format> formatFromNumber(int64_t number);

} // namespace npu

#endif // NPU_SUPPORT_FORMAT_H
