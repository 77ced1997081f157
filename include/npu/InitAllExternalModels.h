//===- InitAllExternalModels.h - Interfaces of the dialects ----*- C++ -*-===//

#ifndef NPU_INITALLEXTERNALMODELS_H
#define NPU_INITALLEXTERNALMODELS_H

#include "npu/Transforms/InstrumentableGE.h"

namespace npu {

/// Gives the operations of this project's dialects the interfaces that are
/// implemented outside of the dialects.
inline void registerExternalModels(mlir::DialectRegistry &registry) {
  ge::registerInstrumentableOpInterface(registry);
}

} // namespace npu

#endif // NPU_INITALLEXTERNALMODELS_H
