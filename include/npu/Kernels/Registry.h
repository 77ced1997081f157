//===- Registry.h - Kernels by operator type -------------------*- C++ -*-===//

#ifndef NPU_KERNELS_REGISTRY_H
#define NPU_KERNELS_REGISTRY_H

#include "npu/Kernels/Kernel.h"

#include <map>
#include <string>
#include <string_view>

namespace npu::kernels {

/// A row of the registry.
struct KernelEntry {
  KernelFactory create = nullptr;
  /// How it computes, one short phrase for the status page ("fp16 products,
  /// fp32 accumulation, one rounding").
  std::string_view numericPath;
  /// The status bits that it can raise.
  StatusBits statusBits = status::None;
};

/// Finds a kernel by operator type. A value, not a global: whoever runs graphs
/// builds one, and adds kernels of their own to it.
class Registry {
public:
  /// All kernels of this library.
  static Registry withBuiltins();

  /// Adds or replaces the kernel of \p type.
  void add(std::string type, KernelEntry entry) {
    entries[std::move(type)] = entry;
  }
  /// Null when \p type has none.
  const KernelEntry *lookup(std::string_view type) const;
  const std::map<std::string, KernelEntry, std::less<>> &all() const {
    return entries;
  }

private:
  std::map<std::string, KernelEntry, std::less<>> entries;
};

} // namespace npu::kernels

#endif // NPU_KERNELS_REGISTRY_H
