//===- File.cpp - Files, read by mapping and written whole ----------------===//

#include "npu/Support/File.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <memory>
#include <sys/mman.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

using namespace npu;

/// Files up to this size are mapped with all their pages.
static constexpr size_t populateLimit = size_t(4) << 20;

Status npu::errnoStatus(ErrorKind kind, const std::string &what, int error) {
  return Status::error(kind,
                       what + ": " + std::generic_category().message(error));
}

int FileDescriptor::close() {
  if (fd < 0)
    return 0;
  return ::close(std::exchange(fd, -1)) == 0 ? 0 : errno;
}

MappedFile::~MappedFile() {
  if (!mapped.empty())
    ::munmap(const_cast<std::byte *>(mapped.data()), mapped.size());
}

Expected<MappedFile> MappedFile::open(const std::string &path) {
  // O_NONBLOCK: opening a FIFO must fail below, not wait for a writer.
  FileDescriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat info;
  if (!fd || ::fstat(fd.get(), &info) != 0)
    return errnoStatus(ErrorKind::Usage, path, errno);
  if (!S_ISREG(info.st_mode))
    return Status::error(path + ": not a regular file");
  MappedFile file;
  if (info.st_size == 0)
    return file;
  const size_t size = static_cast<size_t>(info.st_size);
  // All pages at once are cheaper than one fault after the other.
  const int flags =
      size <= populateLimit ? MAP_PRIVATE | MAP_POPULATE : MAP_PRIVATE;
  void *start = ::mmap(nullptr, size, PROT_READ, flags, fd.get(), 0);
  if (start == MAP_FAILED)
    return errnoStatus(ErrorKind::Usage, path, errno);
  file.mapped = {static_cast<const std::byte *>(start), size};
  return file;
}

int npu::writeAll(int fd, ByteView bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return errno;
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return 0;
}

/// Writes to a pipe or device.
static Status writeTo(const std::string &path,
                      std::span<const ByteView> parts) {
  FileDescriptor fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!fd)
    return errnoStatus(ErrorKind::Incomplete, path, errno);
  for (ByteView part : parts)
    if (int error = writeAll(fd.get(), part))
      return errnoStatus(ErrorKind::Incomplete, path, error);
  return Status();
}

/// What \p path is a link to, if it is one to a file.
static std::string followLink(const std::string &path) {
  struct stat info;
  if (::lstat(path.c_str(), &info) != 0 || !S_ISLNK(info.st_mode))
    return path;
  const std::unique_ptr<char, decltype(&std::free)> target(
      ::realpath(path.c_str(), nullptr), &std::free);
  return target ? target.get() : path;
}

Status npu::writeFile(const std::string &path,
                      std::span<const ByteView> parts) {
  struct stat info;
  if (::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode) &&
      !S_ISDIR(info.st_mode))
    return writeTo(path, parts);
  const std::string target = followLink(path);
  std::string temporary = target + ".XXXXXX";
  FileDescriptor fd(::mkostemp(temporary.data(), O_CLOEXEC));
  if (!fd)
    return errnoStatus(ErrorKind::Incomplete, path, errno);
  int error = 0;
  for (ByteView part : parts)
    if (error == 0)
      error = writeAll(fd.get(), part);
  if (error == 0 && ::fchmod(fd.get(), 0644) != 0)
    error = errno;
  if (int closeError = fd.close(); error == 0)
    error = closeError;
  if (error == 0 && ::rename(temporary.c_str(), target.c_str()) != 0)
    error = errno;
  if (error == 0)
    return Status();
  ::unlink(temporary.c_str());
  return errnoStatus(ErrorKind::Incomplete, path, error);
}

int npu::renameNoReplace(int folder, const std::string &from,
                         const std::string &to) {
  if (::renameat2(folder, from.c_str(), folder, to.c_str(), RENAME_NOREPLACE) ==
      0)
    return 0;
  if (errno != EINVAL && errno != ENOSYS)
    return errno;
  if (::linkat(folder, from.c_str(), folder, to.c_str(), 0) != 0)
    return errno;
  return ::unlinkat(folder, from.c_str(), 0) == 0 ? 0 : errno;
}
