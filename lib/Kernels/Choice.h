//===- Choice.h - Attributes with one of some values ------------*- C++ -*-===//

#ifndef NPU_LIB_KERNELS_CHOICE_H
#define NPU_LIB_KERNELS_CHOICE_H

#include "npu/Kernels/Kernel.h"

#include <initializer_list>

namespace npu::kernels {

/// The number of the attribute \p name among \p choices; the message lists
/// them, and \p which they are.
inline Expected<size_t> readChoice(const NodeSpec &spec,
                                   const std::string &name,
                                   std::initializer_list<const char *> choices,
                                   const std::string &which = "") {
  auto given = spec.attribute<std::string>(name);
  if (!given)
    return given.takeStatus();
  std::string expected;
  for (size_t i = 0; i != choices.size(); ++i) {
    const char *choice = std::data(choices)[i];
    if (*given == choice)
      return i;
    if (i != 0)
      expected += i + 1 == choices.size() ? " or " : ", ";
    expected += choice;
  }
  return Status::error("attribute '" + name + "' is '" + *given +
                       "', expected " + expected + which);
}

} // namespace npu::kernels

#endif // NPU_LIB_KERNELS_CHOICE_H
