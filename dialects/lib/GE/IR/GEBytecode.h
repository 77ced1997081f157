//===- GEBytecode.h - Bytecode of the ge attributes and types --*- C++ -*-===//

#ifndef NPU_DIALECT_LIB_GE_IR_GEBYTECODE_H
#define NPU_DIALECT_LIB_GE_IR_GEBYTECODE_H

namespace npu::ge {

class GEDialect;

/// Lets bytecode readers and writers handle the dialect's attributes and types.
void addBytecodeInterface(GEDialect *dialect);

} // namespace npu::ge

#endif // NPU_DIALECT_LIB_GE_IR_GEBYTECODE_H
