//===- OutputFile.cpp - A file that appears whole -------------------------===//

#include "npu/DumpTools/OutputFile.h"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace npu;
using namespace npu::dump;

/// Tensors up to this size are laid out anew in memory.
static constexpr uint64_t memoryLimit = uint64_t(256) << 20;

static std::string makeTemplate(const std::string &folder) {
  return (folder.empty() ? "." : folder) + "/.npu-dump-XXXXXX";
}

OutputFile::~OutputFile() {
  if (fd)
    ::unlink(temporary.c_str());
}

Expected<OutputFile> OutputFile::create(std::string path) {
  OutputFile file;
  file.path = std::move(path);
  file.temporary =
      makeTemplate(file.path.substr(0, file.path.find_last_of('/') + 1) + ".");
  file.fd = FileDescriptor(::mkostemp(file.temporary.data(), O_CLOEXEC));
  if (!file.fd)
    return errnoStatus(ErrorKind::Incomplete, file.path, errno);
  return file;
}

Status OutputFile::write(ByteView bytes) {
  if (int error = writeAll(fd.get(), bytes))
    return errnoStatus(ErrorKind::Incomplete, path, error);
  return Status();
}

Status OutputFile::commit() {
  int error = fd.close();
  if (error == 0 && ::rename(temporary.c_str(), path.c_str()) != 0)
    error = errno;
  if (error == 0)
    return Status();
  ::unlink(temporary.c_str());
  return errnoStatus(ErrorKind::Incomplete, path, error);
}

ScratchMemory::~ScratchMemory() {
  if (isMapped)
    ::munmap(start, length);
  else
    std::free(start);
}

Expected<ScratchMemory> ScratchMemory::create(uint64_t size,
                                              const std::string &folder) {
  ScratchMemory memory;
  const std::string what =
      folder + ": " + std::to_string(size) + " bytes to lay out a tensor";
  if (size <= memoryLimit) {
    memory.start = static_cast<std::byte *>(std::malloc(size));
    if (!memory.start && size != 0)
      return errnoStatus(ErrorKind::Incomplete, what, ENOMEM);
    memory.length = size;
    return memory;
  }
  std::string name = makeTemplate(folder);
  const FileDescriptor fd(::mkostemp(name.data(), O_CLOEXEC));
  if (!fd)
    return errnoStatus(ErrorKind::Incomplete, folder, errno);
  ::unlink(name.c_str());
  // Blocks that are missing later would be a signal.
  if (int error = ::posix_fallocate(fd.get(), 0, static_cast<off_t>(size)))
    return errnoStatus(ErrorKind::Incomplete, what, error);
  void *start =
      ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
  if (start == MAP_FAILED)
    return errnoStatus(ErrorKind::Incomplete, what, errno);
  memory.start = static_cast<std::byte *>(start);
  memory.length = size;
  memory.isMapped = true;
  return memory;
}
