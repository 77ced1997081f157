//===- InstrumentableGE.h - Instrumentation of ge.node ---------*- C++ -*-===//

#ifndef NPU_TRANSFORMS_INSTRUMENTABLEGE_H
#define NPU_TRANSFORMS_INSTRUMENTABLEGE_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace npu::ge {

/// Gives ge.node its InstrumentableOpInterface: names, indices and what is
/// dumped by default are those of the device.
void registerInstrumentableOpInterface(mlir::DialectRegistry &registry);

} // namespace npu::ge

#endif // NPU_TRANSFORMS_INSTRUMENTABLEGE_H
