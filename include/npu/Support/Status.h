//===- Status.h - Success or one clear message -----------------*- C++ -*-===//
//
// The error type of the layers that are built without LLVM. A failure carries
// one line for a person (what, where, what was expected) and a class that a
// tool turns into its exit code.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_SUPPORT_STATUS_H
#define NPU_SUPPORT_STATUS_H

#include <cassert>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace npu {

/// Why an operation failed. The values are the exit codes of the tools.
enum class ErrorKind : uint8_t {
  Usage = 1,      ///< wrong input or usage
  Difference = 2, ///< ran, but something differs or overflowed when asked to fail on it
  Incomplete = 3, ///< could not be completed: disk, missing kernel
};

/// Success, or an ErrorKind with a one-line message. Must be looked at.
class [[nodiscard]] Status {
public:
  Status() = default;

  static Status error(ErrorKind kind, std::string message) {
    Status status;
    status.failure = std::make_unique<Failure>(Failure{kind, std::move(message)});
    return status;
  }
  /// A fault of the input: the usual failure.
  static Status error(std::string message) {
    return error(ErrorKind::Usage, std::move(message));
  }

  bool ok() const { return !failure; }
  explicit operator bool() const { return ok(); }

  /// The line for the user; empty on success.
  const std::string &message() const {
    static const std::string none;
    return failure ? failure->message : none;
  }
  /// Precondition: not ok().
  ErrorKind kind() const {
    assert(failure && "a success has no error kind");
    return failure->kind;
  }
  /// The same failure with \p where in front of its message.
  Status withContext(const std::string &where) && {
    if (failure)
      failure->message = where + ": " + failure->message;
    return std::move(*this);
  }

private:
  struct Failure {
    ErrorKind kind;
    std::string message;
  };
  std::unique_ptr<Failure> failure;
};

/// A T, or the Status that says why there is none.
template <typename T>
class [[nodiscard]] Expected {
public:
  Expected(T value) : value(std::move(value)) {}
  Expected(Status failure) : failure(std::move(failure)) {
    assert(!this->failure.ok() && "an Expected needs a value or a failure");
  }

  bool ok() const { return value.has_value(); }
  explicit operator bool() const { return ok(); }
  T &operator*() { return *value; }
  const T &operator*() const { return *value; }
  T *operator->() { return &*value; }
  const T *operator->() const { return &*value; }
  const Status &status() const { return failure; }
  Status takeStatus() { return std::move(failure); }

private:
  std::optional<T> value;
  Status failure;
};

} // namespace npu

#endif // NPU_SUPPORT_STATUS_H
