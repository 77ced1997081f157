//===- OutputFile.h - A file that appears whole -----------------*- C++ -*-===//

#ifndef NPU_DUMPTOOLS_OUTPUTFILE_H
#define NPU_DUMPTOOLS_OUTPUTFILE_H

#include "npu/Support/File.h"

#include <string>

namespace npu::dump {

/// A file of mode 0600 that is written piece by piece under a hidden name and
/// gets its name with commit: until then, and after a failure, there is no file
/// or the old one. Failures are ErrorKind::Incomplete.
class OutputFile {
public:
  OutputFile() = default;
  OutputFile(OutputFile &&other) noexcept = default;
  OutputFile &operator=(OutputFile &&other) noexcept = default;
  ~OutputFile();

  /// Begins the file \p path, whose folder exists.
  static Expected<OutputFile> create(std::string path);

  Status write(ByteView bytes);
  Status commit();

private:
  FileDescriptor fd;
  std::string path;
  std::string temporary;
};

/// Memory for a tensor of any size: what is large lies in a file without a name
/// in a folder, so that it is bounded by the disk and not by the memory.
class ScratchMemory {
public:
  ScratchMemory() = default;
  ScratchMemory(ScratchMemory &&other) noexcept
      : start(std::exchange(other.start, nullptr)),
        length(std::exchange(other.length, 0)),
        isMapped(std::exchange(other.isMapped, false)) {}
  ScratchMemory &operator=(ScratchMemory &&other) noexcept {
    std::swap(start, other.start);
    std::swap(length, other.length);
    std::swap(isMapped, other.isMapped);
    return *this;
  }
  ~ScratchMemory();

  /// \p size bytes of any value. Fails (ErrorKind::Incomplete) where memory or
  /// disk do not have them.
  static Expected<ScratchMemory> create(uint64_t size,
                                        const std::string &folder);

  std::byte *data() { return start; }
  ByteView bytes() const { return {start, length}; }

private:
  std::byte *start = nullptr;
  size_t length = 0;
  bool isMapped = false;
};

} // namespace npu::dump

#endif // NPU_DUMPTOOLS_OUTPUTFILE_H
