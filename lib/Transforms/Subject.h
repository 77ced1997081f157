//===- Subject.h - Operations as instrumentation sees them -----*- C++ -*-===//
//
// What the passes that insert instrumentation share.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_LIB_TRANSFORMS_SUBJECT_H
#define NPU_LIB_TRANSFORMS_SUBJECT_H

#include "npu/Dialect/Instr/IR/InstrumentableOpInterface.h"
#include "npu/Transforms/Selector.h"

#include "mlir/Pass/Pass.h"
#include "llvm/ADT/SmallBitVector.h"

#include <memory>

namespace npu {

/// An operation as instrumentation sees it, through its interface or the
/// defaults.
struct Subject {
  explicit Subject(mlir::Operation *op);

  mlir::Operation *op;
  std::string name;
  llvm::SmallVector<std::string, 1> aliases;
  std::string type;
  bool isDumpedByDefault = true;
  llvm::SmallVector<instr::IndexedValue, 2> operands;
  llvm::SmallVector<instr::IndexedValue, 2> results;
  mlir::Value token;
};

/// Calls \p visit with every operation inside of \p root that instrumentation
/// can follow, in order; with those inside of an operation that has
/// InstrumentableOpInterface only if \p members is set.
void walkSubjects(mlir::Operation *root, bool members,
                  llvm::function_ref<void(mlir::Operation *)> visit);

/// The instrumentation of kind \p OpT whose token is \p token, in no order.
template <typename OpT>
llvm::SmallVector<OpT> getInstrumentation(mlir::Value token) {
  llvm::SmallVector<OpT> ops;
  for (mlir::Operation *user : token.getUsers())
    if (auto op = llvm::dyn_cast<OpT>(user); op && op.getToken() == token)
      ops.push_back(op);
  return ops;
}

/// The later one of \p op and those of \p others in the same block.
template <typename Range>
mlir::Operation *getLast(mlir::Operation *op, const Range &others) {
  for (mlir::Operation *other : others)
    if (other->getBlock() == op->getBlock() && op->isBeforeInBlock(other))
      op = other;
  return op;
}

/// Reads the option `layer` of \p pass. What is wrong with it is an error
/// without a location.
mlir::FailureOr<std::shared_ptr<const Selector>>
parseLayer(const mlir::Pass &pass, llvm::StringRef layer,
           mlir::MLIRContext *context);

/// What the patterns of a selector came to.
class PatternUses {
public:
  explicit PatternUses(const Selector &selector);

  /// The positions of the patterns that select \p subject.
  llvm::SmallVector<unsigned> match(const Subject &subject);
  /// Notes that an operation had what pattern \p pattern asks for: its
  /// \p part-th operand, or 0 for a pattern of a whole operation.
  void setFound(unsigned pattern, unsigned part = 0) {
    uses[pattern].found.set(part);
  }
  /// Warns of patterns that select nothing and of operands that none of the
  /// selected operations has. \p whole is what patterns of whole operations
  /// ask for.
  void diagnose(mlir::Location loc, llvm::StringRef whole) const;

private:
  /// Whether a pattern selected an operation, and whether one of those had each
  /// of the operands asked for (or, without, the whole).
  struct Use {
    bool matched = false;
    llvm::SmallBitVector found;
  };

  const Selector &selector;
  llvm::SmallVector<Use> uses;
};

/// Says in a remark that the instrumentation of operations called \p names
/// \p does what an NPU would not.
void remarkBeyondDevice(mlir::Location loc, llvm::StringRef does,
                        llvm::ArrayRef<llvm::StringRef> names);

/// Warns that \p count operations are not \p done for want of a name.
void warnUnnamed(mlir::Location loc, llvm::StringRef done, unsigned count);

} // namespace npu

#endif // NPU_LIB_TRANSFORMS_SUBJECT_H
