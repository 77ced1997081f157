//===- File.h - Files, read by mapping and written whole -------*- C++ -*-===//

#ifndef NPU_SUPPORT_FILE_H
#define NPU_SUPPORT_FILE_H

#include "npu/Support/Status.h"

#include <cstddef>
#include <span>
#include <string>
#include <utility>

namespace npu {

/// Raw bytes of something that lives elsewhere.
using ByteView = std::span<const std::byte>;

/// The bytes of \p text.
inline ByteView asBytes(const std::string &text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

/// "WHAT: No space left on device" for the errno value \p error.
Status errnoStatus(ErrorKind kind, const std::string &what, int error);

/// An open file descriptor, closed with the object; negative when there is
/// none.
class FileDescriptor {
public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd(fd) {}
  FileDescriptor(FileDescriptor &&other) noexcept
      : fd(std::exchange(other.fd, -1)) {}
  FileDescriptor &operator=(FileDescriptor &&other) noexcept {
    std::swap(fd, other.fd);
    return *this;
  }
  ~FileDescriptor() { close(); }

  int get() const { return fd; }
  explicit operator bool() const { return fd >= 0; }
  /// Returns 0 or the errno value of close(2).
  int close();

private:
  int fd = -1;
};

/// A regular file mapped for reading. The bytes stay where they are when the
/// object moves. The file must not be cut while it is mapped.
class MappedFile {
public:
  MappedFile() = default;
  MappedFile(MappedFile &&other) noexcept
      : mapped(std::exchange(other.mapped, {})) {}
  MappedFile &operator=(MappedFile &&other) noexcept {
    std::swap(mapped, other.mapped);
    return *this;
  }
  ~MappedFile();

  /// Fails (ErrorKind::Usage) on a missing file, and on anything that is not a
  /// regular file. An empty file has no bytes.
  static Expected<MappedFile> open(const std::string &path);

  ByteView bytes() const { return mapped; }

private:
  ByteView mapped;
};

/// Writes all of \p bytes to \p fd. Returns 0 or an errno value.
int writeAll(int fd, ByteView bytes);

/// Makes \p path a file of \p parts one after another. The file appears whole
/// and replaces an older one, or stays as it was (ErrorKind::Incomplete). A
/// link stays one to the file; what is no file (a pipe, a device) is written
/// to.
Status writeFile(const std::string &path, std::span<const ByteView> parts);

/// rename(2) that fails with EEXIST where \p to exists, by a hard link where
/// the file system cannot do that itself. Both names are in the folder
/// \p folder. Returns 0 or an errno value.
int renameNoReplace(int folder, const std::string &from, const std::string &to);

} // namespace npu

#endif // NPU_SUPPORT_FILE_H
