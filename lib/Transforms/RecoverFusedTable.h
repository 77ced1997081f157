//===- RecoverFusedTable.h - What kernel names spell -----------*- C++ -*-===//

#ifndef NPU_LIB_TRANSFORMS_RECOVERFUSEDTABLE_H
#define NPU_LIB_TRANSFORMS_RECOVERFUSEDTABLE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace npu {

/// An operator that may be a member of a fused kernel.
struct FusedMember {
  llvm::StringLiteral kernelName; ///< as kernel names spell it
  llvm::StringLiteral type;       ///< operator type
  /// Attributes without which it cannot be computed and which no shape tells;
  /// empty if there are none.
  llvm::StringLiteral unknowable = "";
  /// Adds, multiplies... two tensors: takes the result before it and one more.
  bool isBinary = false;
  /// Takes floats to integers of 8 bits or back.
  bool isQuantisation = false;
  /// At the end of a chain it may show what comes into it as well.
  bool showsInput = false;

  /// Data inputs, as the catalogue has them: that are required, and all.
  unsigned minInputs() const;
  unsigned maxInputs() const;
  /// Outputs, of which the next member takes the first.
  unsigned numResults() const;
};

/// Reads the chain that \p kernelName ("te_fused_op_conv2d_leaky_relu_<hash>")
/// spells. An empty result means it is no fused kernel. \p rest is what
/// follows the last operator that is known.
llvm::SmallVector<const FusedMember *> parseChain(llvm::StringRef kernelName,
                                                  llvm::StringRef &rest);

/// The member that is an operator of \p type; null if none can be.
const FusedMember *findMember(llvm::StringRef type);

/// Where an operand of a member comes from: an input of the node, or the
/// result of an earlier member.
struct FusedOperand {
  enum Kind : uint8_t { Input, Member } kind;
  unsigned index;
};

/// A chain whose members do not simply follow each other.
struct FusionIdiom {
  llvm::StringLiteral name;
  llvm::ArrayRef<llvm::StringLiteral> types;
  llvm::ArrayRef<llvm::ArrayRef<FusedOperand>> operands; ///< by member
  /// Inputs that are one and the same value.
  unsigned sameInputs[2];
};
llvm::ArrayRef<FusionIdiom> getFusionIdioms();

} // namespace npu

#endif // NPU_LIB_TRANSFORMS_RECOVERFUSEDTABLE_H
