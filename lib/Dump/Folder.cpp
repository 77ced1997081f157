//===- Folder.cpp - Making folders and hidden files -----------------------===//

#include "npu/Dump/Folder.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>

using namespace npu;
using namespace npu::dump;

FileDescriptor npu::dump::openFolder(const std::string &path) {
  for (size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    if (::mkdir(path.substr(0, end).c_str(), 0700) != 0 && errno != EEXIST)
      return FileDescriptor();
    if (end == std::string::npos)
      break;
  }
  return FileDescriptor(
      ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

FileDescriptor HiddenFiles::create(int folder, std::string &name) {
  while (true) {
    name = "." + std::to_string(process) + "." + std::to_string(numMade++) +
           ".tmp";
    FileDescriptor fd(::openat(folder, name.c_str(),
                               O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (fd || errno != EEXIST)
      return fd;
  }
}
