//===- Selector.h - Selection of operations by patterns --------*- C++ -*-===//

#ifndef NPU_TRANSFORMS_SELECTOR_H
#define NPU_TRANSFORMS_SELECTOR_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/Regex.h"

#include <cstdint>
#include <string>
#include <vector>

namespace npu {

/// A list of patterns that select operations, in the form that the option
/// `layer` of npu-insert-dump describes:
///
///   name   wild*card?   re:REGEX   name-regex(REGEX)   type:TYPE
///
/// each optionally followed by `:` and `in<N>` or `out<N>` joined with `+`.
/// Names may contain colons themselves: only a suffix of this form counts.
class Selector {
public:
  /// An operand or result that a pattern asks for.
  struct Operand {
    bool isInput;
    int64_t index;
  };

  struct Pattern {
    /// The pattern as written, for messages.
    std::string text;
    /// What the pattern is limited to; empty for the whole operation.
    llvm::SmallVector<Operand, 1> operands;
  };

  /// Reads patterns with white space between them. The error is one line that
  /// has the text of the wrong pattern.
  static llvm::Expected<Selector> parse(llvm::StringRef list);

  /// The patterns in the order written.
  llvm::ArrayRef<Pattern> getPatterns() const { return patterns; }

  /// The positions of the patterns that select an operation called \p name, or
  /// one of \p aliases, of type \p type; ascending.
  llvm::SmallVector<unsigned> match(llvm::StringRef name,
                                    llvm::ArrayRef<std::string> aliases,
                                    llvm::StringRef type) const;

private:
  struct Matcher {
    unsigned pattern;
    bool matchesType;
    llvm::Regex regex;
  };

  enum class Kind { Name, Type, Regex };

  /// Adds \p text, which has neither prefix nor operands, as what the pattern
  /// to come matches.
  llvm::Error addMatcher(Kind kind, llvm::StringRef text);

  std::vector<Pattern> patterns;
  /// Exact names are looked up: lists of thousands are common.
  llvm::StringMap<llvm::SmallVector<unsigned, 1>> names;
  std::vector<Matcher> matchers;
};

} // namespace npu

#endif // NPU_TRANSFORMS_SELECTOR_H
