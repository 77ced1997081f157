//===- Uuid.h - Names made of digits ----------------------------*- C++ -*-===//

#ifndef NPU_SUPPORT_UUID_H
#define NPU_SUPPORT_UUID_H

#include <string>
#include <string_view>

namespace npu {

/// The version 3 UUID (RFC 4122) of \p name in the DNS name space, as 32
/// hexadecimal digits: a short name that is always the same.
std::string makeNameUuid(std::string_view name);

} // namespace npu

#endif // NPU_SUPPORT_UUID_H
