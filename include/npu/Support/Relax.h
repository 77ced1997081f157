//===- Relax.h - What a loop that waits does --------------------*- C++ -*-===//

#ifndef NPU_SUPPORT_RELAX_H
#define NPU_SUPPORT_RELAX_H

namespace npu {

/// Tells the processor that a loop only waits.
inline void relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

} // namespace npu

#endif // NPU_SUPPORT_RELAX_H
