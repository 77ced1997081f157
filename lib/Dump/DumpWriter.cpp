//===- DumpWriter.cpp - Writes dump files in the background ---------------===//

#include "npu/Dump/DumpWriter.h"

#include "Crc32.h"
#include "JobCheck.h"
#include "Manifest.h"
#include "npu/Dump/Folder.h"
#include "npu/Support/Relax.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <climits>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <fcntl.h>
#include <map>
#include <mutex>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace npu;
using namespace npu::dump;

/// Large tensors are written in pieces of this size, small enough for the
/// checksum to leave the bytes in the cache for the write.
static constexpr size_t pieceSize = size_t(1) << 20;

/// What a file of statistics is taken to occupy until it is written.
static constexpr uint64_t csvSize = 1 << 10;

/// Files that are written at a time: a run that is killed leaves as many hidden
/// ones. The writer and a thread that helps; more would wait for memory.
static constexpr unsigned maxOpenFiles = 2;

/// Folders that stay open; iterations come one after another.
static constexpr size_t maxOpenFolders = 16;

DumpClock DumpClock::system() {
  DumpClock clock;
  clock.microseconds = [] {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return static_cast<uint64_t>(
        std::chrono::duration_cast<std::chrono::microseconds>(now).count());
  };
  clock.localTime = [] {
    const std::time_t now = std::time(nullptr);
    std::tm local{};
    ::localtime_r(&now, &local);
    return local;
  };
  return clock;
}

template <typename Visitor>
static void forEachPartWithSize(DumpRecord &record, Visitor visit) {
  for (DumpTensor &tensor : record.inputs)
    visit(tensor.data, tensor.size);
  for (DumpTensor &tensor : record.outputs)
    visit(tensor.data, tensor.size);
  for (DumpBlock &block : record.buffers)
    visit(block.data, block.size);
  for (DumpBlock &block : record.spaces)
    visit(block.data, block.size);
}

/// Moves the data of \p job to memory of its own.
static void copyData(DumpJob &job, uint64_t size) {
  std::shared_ptr<std::byte[]> memory(new std::byte[size]);
  std::byte *next = memory.get();
  forEachPartWithSize(job.record, [&](ByteView &data, uint64_t) {
    if (!data.empty())
      std::memcpy(next, data.data(), data.size());
    data = {next, data.size()};
    next += data.size();
  });
  job.owners.assign(1, std::move(memory));
}

//===----------------------------------------------------------------------===//
// The writer
//===----------------------------------------------------------------------===//

namespace {
struct QueuedJob {
  DumpJob job;
  uint64_t size = 0;
  uint64_t time = 0; ///< when it was handed over
};

/// Of a job that is being written.
struct WrittenState {
  uint64_t bytesLeft = 0; ///< of its tensors
  uint32_t crc = 0;       ///< of the file so far
};
} // namespace

struct DumpWriter::Impl {
  explicit Impl(DumpWriterOptions given) : options(std::move(given)) {}

  // Set by create.
  DumpWriterOptions options;
  std::string timeFolder;

  // Shared, under the mutex.
  std::mutex mutex;
  std::condition_variable wakeWriter, wakeCaller;
  std::deque<QueuedJob> queue;
  uint64_t bytesInFlight = 0; // queued, and being written
  uint64_t jobsTaken = 0, jobsBegun = 0, jobsDone = 0;
  uint64_t lastTimestamp = 0;
  std::string failure;     // the first fault of writing
  std::string abortReason; // the caller's
  std::map<std::string, std::string> modelOfFolder;
  unsigned isWaiting = 0; // callers that wait for a job to be written
  bool finishing = false;
  std::unique_ptr<ManifestWriter> manifest;
  // Jobs that were done before an older one, by number.
  std::map<uint64_t, ManifestEntry> unlisted;
  uint64_t jobsListed = 0;

  HiddenFiles hiddenFiles;
  std::mutex folderMutex; // also of the mapping.csv in them
  std::map<std::string, std::shared_ptr<FileDescriptor>> openFolders;

  std::mutex progressMutex;
  uint64_t bytesWritten = 0;
  std::atomic<uint64_t> bytesQueued{0};

  std::mutex finishMutex;
  std::thread thread;

  Status failureStatus() const {
    return failure.empty() ? Status()
                           : Status::error(ErrorKind::Incomplete, failure);
  }
  DumpFolder folderOf(const DumpJob &job) const {
    return {options.deviceId,
            options.modelNameInFolder ? job.modelName : std::nullopt,
            job.modelId, job.dataIndex};
  }

  Status claimModelFolder(const DumpJob &job);
  Status enqueue(DumpJob job);
  bool mayWrite() const {
    return !queue.empty() && jobsBegun - jobsDone < maxOpenFiles;
  }
  bool hasWork() const;
  void run();
  void writeFirst(std::unique_lock<std::mutex> &lock);
  bool help();
  void list(uint64_t number, ManifestEntry entry);
  uint64_t takeTimestamp(uint64_t atLeast);
  Status writeJob(DumpJob &job, WrittenState &state, ManifestFile &file);
  Expected<std::shared_ptr<FileDescriptor>> getFolder(const std::string &path);
  int writeFile(int folder, const DumpJob &job, const std::string &start,
                std::string &temporary, WrittenState &state);
  int writePiece(int fd, std::vector<iovec> &parts, WrittenState &state);
};

/// Takes \p mutex, which is held for some microseconds at most: to be woken
/// from sleep takes far longer.
static std::unique_lock<std::mutex> lockSoon(std::mutex &mutex) {
  constexpr int maxSpins = 2000;
  std::unique_lock lock(mutex, std::try_to_lock);
  for (int i = 0; i < maxSpins && !lock; ++i) {
    relax();
    lock.try_lock();
  }
  if (!lock)
    lock.lock();
  return lock;
}

/// Two models whose names differ only in replaced characters would share files.
Status DumpWriter::Impl::claimModelFolder(const DumpJob &job) {
  if (!job.modelName)
    return Status();
  DumpFolder folder = folderOf(job);
  folder.dataIndex.reset();
  const std::string path = toPath(folder);
  auto [entry, isNew] = modelOfFolder.emplace(path, *job.modelName);
  if (isNew || entry->second == *job.modelName)
    return Status();
  return Status::error("the models '" + entry->second + "' and '" +
                       *job.modelName + "' have the same dump folder " + path +
                       ", expected different model ids");
}

Status DumpWriter::Impl::enqueue(DumpJob job) {
  if (Status status = checkJob(job); !status)
    return status;
  uint64_t size = 0;
  forEachPartWithSize(job.record, [&](ByteView data, uint64_t &partSize) {
    partSize = data.size();
    size += data.size();
  });
  if (job.csv && size != 0) {
    size = csvSize;
    job.copy = false;
    job.owners.clear();
  }

  std::unique_lock lock = lockSoon(mutex);
  if (Status status = claimModelFolder(job); !status)
    return status;
  if (size == 0)
    return failureStatus();
  // Above the limit, or for room, somebody has to write.
  const auto await = [&](auto &&holds) {
    if (holds())
      return;
    ++isWaiting;
    wakeWriter.notify_one();
    wakeCaller.wait(lock, holds);
    --isWaiting;
  };
  await([&] {
    return finishing || !failure.empty() || bytesInFlight == 0 ||
           (size <= options.bytesInFlightLimit &&
            bytesInFlight <= options.bytesInFlightLimit - size);
  });
  if (finishing)
    return Status::error("dump job " + job.record.opName +
                         ": the dump has already been finished");
  if (!failure.empty()) {
    manifest->add(makeMissingEntry(job));
    return failureStatus();
  }
  bytesInFlight += size;
  bytesQueued += size;
  const uint64_t ticket = ++jobsTaken;
  const bool borrowed = job.copy && size > options.bytesInFlightLimit;
  if (job.copy && !borrowed) {
    // The bytes are accounted for already, so others may go on meanwhile; the
    // ticket only orders borrowed jobs, which run alone.
    lock.unlock();
    copyData(job, size);
    lock.lock();
  }
  queue.push_back({std::move(job), size, options.clock.microseconds()});
  if (hasWork())
    wakeWriter.notify_one();
  if (borrowed) {
    await([&] { return jobsDone >= ticket; });
    return failureStatus();
  }
  return Status();
}

/// Whether there is something for the writer's own thread to do.
bool DumpWriter::Impl::hasWork() const {
  if (queue.empty())
    return finishing && jobsDone == jobsTaken;
  if (!mayWrite())
    return false;
  return !options.isHelped || finishing || isWaiting ||
         bytesInFlight > options.bytesInFlightLimit / 8;
}

void DumpWriter::Impl::run() {
  std::unique_lock lock(mutex);
  while (true) {
    wakeWriter.wait(lock, [&] { return hasWork(); });
    if (queue.empty())
      return;
    writeFirst(lock);
  }
}

bool DumpWriter::Impl::help() {
  std::unique_lock lock = lockSoon(mutex);
  if (!mayWrite())
    return false;
  writeFirst(lock);
  return true;
}

/// Takes the first job off the queue and writes it. \p lock is held before and
/// after.
void DumpWriter::Impl::writeFirst(std::unique_lock<std::mutex> &lock) {
  QueuedJob queued = std::move(queue.front());
  DumpJob &job = queued.job;
  queue.pop_front();
  const uint64_t number = jobsBegun++;
  job.record.dumpTime = takeTimestamp(queued.time);
  const bool skip = !failure.empty();
  lock.unlock();
  ManifestFile file;
  WrittenState state{.bytesLeft = queued.size};
  Status status = skip ? Status() : writeJob(job, state, file);
  bytesQueued -= state.bytesLeft;
  job.owners.clear();   // before others are let in for the room
  ManifestEntry entry = // before anybody has to wait for it
      !skip && status ? makeManifestEntry(job, file) : makeMissingEntry(job);
  lock = lockSoon(mutex);
  list(number, std::move(entry));
  if (!status && failure.empty())
    failure = status.message();
  bytesInFlight -= queued.size;
  ++jobsDone;
  wakeCaller.notify_all();
  if (hasWork())
    wakeWriter.notify_one();
}

/// Lists the job \p number once all older ones are listed.
void DumpWriter::Impl::list(uint64_t number, ManifestEntry entry) {
  unlisted.emplace(number, std::move(entry));
  for (auto it = unlisted.begin();
       it != unlisted.end() && it->first == jobsListed;
       it = unlisted.erase(it), ++jobsListed)
    manifest->add(std::move(it->second));
}

/// Under the mutex, in the order of jobs: time stamps rise in it.
uint64_t DumpWriter::Impl::takeTimestamp(uint64_t atLeast) {
  lastTimestamp = std::max(atLeast, lastTimestamp + 1);
  return lastTimestamp;
}

/// The folder \p path below the {time} folder, made where it is missing. It
/// stays open for the files that follow.
Expected<std::shared_ptr<FileDescriptor>>
DumpWriter::Impl::getFolder(const std::string &path) {
  std::lock_guard lock(folderMutex);
  if (auto known = openFolders.find(path); known != openFolders.end())
    return known->second;
  FileDescriptor folder = openFolder(path);
  if (!folder)
    return errnoStatus(ErrorKind::Incomplete, path, errno);
  if (openFolders.size() == maxOpenFolders)
    openFolders.clear();
  return openFolders[path] =
             std::make_shared<FileDescriptor>(std::move(folder));
}

/// Writes \p parts, which together are at most one piece. Returns 0 or an errno
/// value.
int DumpWriter::Impl::writePiece(int fd, std::vector<iovec> &parts,
                                 WrittenState &state) {
  uint64_t size = 0;
  for (const iovec &part : parts) {
    state.crc =
        updateCrc32(state.crc, {static_cast<const std::byte *>(part.iov_base),
                                part.iov_len});
    size += part.iov_len;
  }
  iovec *next = parts.data(), *end = next + parts.size();
  while (next != end) {
    const ssize_t result =
        options.write(fd, next, static_cast<int>(end - next));
    if (result < 0 && errno == EINTR)
      continue;
    if (result < 0)
      return errno;
    if (result == 0)
      return EIO; // no progress and no reason: do not try for ever
    size_t done = static_cast<size_t>(result);
    for (; next != end && done >= next->iov_len; ++next)
      done -= next->iov_len;
    if (next != end) {
      next->iov_base = static_cast<char *>(next->iov_base) + done;
      next->iov_len -= done;
    }
  }
  parts.clear();
  const uint64_t share = std::min(size, state.bytesLeft);
  state.bytesLeft -= share;
  bytesQueued -= share;
  if (options.progress) {
    std::lock_guard lock(progressMutex);
    bytesWritten += size;
    options.progress(bytesWritten, bytesQueued);
  }
  return 0;
}

/// Makes a hidden file of \p start and, where that is a header, the data of
/// \p job in \p folder. Returns 0, or an errno value and no file.
int DumpWriter::Impl::writeFile(int folder, const DumpJob &job,
                                const std::string &start,
                                std::string &temporary, WrittenState &state) {
  FileDescriptor fd = hiddenFiles.create(folder, temporary);
  if (!fd)
    return errno;
  std::vector<iovec> piece;
  size_t room = pieceSize;
  int error = 0;
  auto append = [&](ByteView data) {
    while (!data.empty() && error == 0) {
      const size_t size = std::min(data.size(), room);
      piece.push_back({const_cast<std::byte *>(data.data()), size});
      data = data.subspan(size);
      room -= size;
      if (room == 0 || piece.size() == IOV_MAX) {
        error = writePiece(fd.get(), piece, state);
        room = pieceSize;
      }
    }
  };
  append(asBytes(start));
  if (!job.csv)
    job.record.forEachPart(append);
  if (error == 0 && !piece.empty())
    error = writePiece(fd.get(), piece, state);
  if (int closeError = fd.close(); error == 0)
    error = closeError;
  if (error != 0)
    ::unlinkat(folder, temporary.c_str(), 0);
  return error;
}

/// Appends a row to mapping.csv in \p folder, whole or not at all. Returns 0 or
/// an errno value.
static int appendMappingRow(int folder, const std::string &row) {
  FileDescriptor fd(::openat(folder, std::string(MappingFileName).c_str(),
                             O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  struct stat info;
  if (!fd || ::fstat(fd.get(), &info) != 0)
    return errno;
  // One write: rows of two processes do not mix.
  const ssize_t written = ::write(fd.get(), row.data(), row.size());
  if (written == static_cast<ssize_t>(row.size()))
    return fd.close();
  const int error = written < 0 ? errno : ENOSPC;
  return ::ftruncate(fd.get(), info.st_size) == 0 ? error : errno;
}

/// Makes the file of \p job under its time stamp, or a later one where the name
/// is taken.
Status DumpWriter::Impl::writeJob(DumpJob &job, WrittenState &state,
                                  ManifestFile &file) {
  const std::string folder = toPath(folderOf(job));
  const std::string folderPath = timeFolder + "/" + folder;
  Expected<std::shared_ptr<FileDescriptor>> opened = getFolder(folderPath);
  if (!opened)
    return opened.takeStatus();
  const int folderFd = (*opened)->get();

  const std::string &opName =
      job.nameInFile.empty() ? job.record.opName : job.nameInFile;
  std::string start = job.csv ? job.csv(job.record) : std::string();
  uint64_t &timestamp = job.record.dumpTime;
  const auto moveOn = [&] {
    std::lock_guard lock(mutex);
    timestamp = takeTimestamp(timestamp + 1);
  };
  for (;; moveOn()) {
    std::string fullName = toFileName({job.opType, opName, job.taskId,
                                       job.streamId, timestamp, std::nullopt});
    if (job.csv)
      fullName += ".csv";
    const bool isLong = fullName.size() > MaxFileNameBytes;
    const std::string name =
        isLong ? makeShortName(folderPath + "/" + fullName) : fullName;
    // No row of the mapping may be about the file of somebody else. Other names
    // are free nearly always, and renaming finds out.
    if (isLong &&
        ::faccessat(folderFd, name.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0)
      continue;
    if (!job.csv)
      start = serializeHeader(job.record);
    std::string temporary;
    state.crc = 0;
    int error = writeFile(folderFd, job, start, temporary, state);
    if (error == 0) {
      if (isLong) {
        std::lock_guard lock(folderMutex);
        error = appendMappingRow(folderFd, formatMappingRow(name, fullName));
      }
      if (error == 0)
        error = renameNoReplace(folderFd, temporary, name);
      if (error != 0)
        ::unlinkat(folderFd, temporary.c_str(), 0);
    }
    if (error == EEXIST) // somebody else's file
      continue;
    if (error != 0)
      return errnoStatus(ErrorKind::Incomplete, folderPath + "/" + name, error);
    file = {folder + "/" + name, isLong ? fullName : std::string(),
            start.size(), state.crc};
    return Status();
  }
}

//===----------------------------------------------------------------------===//
// The interface
//===----------------------------------------------------------------------===//

DumpWriter::DumpWriter(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}

Expected<std::unique_ptr<DumpWriter>>
DumpWriter::create(DumpWriterOptions options) {
  const std::string path = options.dumpPath;
  struct stat info;
  if (::stat(path.c_str(), &info) != 0)
    return errnoStatus(ErrorKind::Usage, "dump path '" + path + "'", errno);
  if (!S_ISDIR(info.st_mode) ||
      ::faccessat(AT_FDCWD, path.c_str(), W_OK | X_OK, AT_EACCESS) != 0)
    return Status::error("dump path '" + path +
                         "': expected a folder that can be written to");
  const std::tm now = options.clock.localTime();
  char time[32];
  if (std::strftime(time, sizeof(time), "%Y%m%d%H%M%S", &now) == 0)
    return Status::error("the clock gives no date");

  auto impl = std::make_unique<Impl>(std::move(options));
  impl->timeFolder = path + "/" + time;
  impl->manifest = std::make_unique<ManifestWriter>(impl->timeFolder, time,
                                                    impl->options.deviceId);
  impl->thread = std::thread([state = impl.get()] { state->run(); });
  return std::unique_ptr<DumpWriter>(new DumpWriter(std::move(impl)));
}

DumpWriter::~DumpWriter() {
  std::unique_lock lock(impl->mutex);
  const bool isUsed = impl->jobsTaken != 0;
  lock.unlock();
  if (impl->thread.joinable() && isUsed)
    abort("the run ended before the dump was finished");
  // Nobody is left to be told; the manifest has the fault.
  static_cast<void>(finish());
}

bool DumpWriter::help() { return impl->help(); }

Status DumpWriter::enqueue(DumpJob job) {
  return impl->enqueue(std::move(job));
}

void DumpWriter::abort(std::string reason) {
  std::lock_guard lock(impl->mutex);
  if (impl->abortReason.empty())
    impl->abortReason = std::move(reason);
}

Status DumpWriter::finish() {
  std::lock_guard onlyOnce(impl->finishMutex);
  if (!impl->thread.joinable())
    return impl->failureStatus();
  {
    std::lock_guard lock(impl->mutex);
    impl->finishing = true;
  }
  impl->wakeWriter.notify_one();
  impl->wakeCaller.notify_all();
  if (impl->options.isHelped)
    while (impl->help()) {
    }
  impl->thread.join();
  std::lock_guard lock(impl->mutex);
  std::string reason = impl->abortReason;
  if (!impl->failure.empty())
    reason += (reason.empty() ? "" : "; ") + impl->failure;
  if (impl->manifest->empty() && reason.empty())
    return Status();
  Status status = impl->manifest->finish(reason);
  if (!status && impl->failure.empty())
    impl->failure = status.message();
  return impl->failureStatus();
}

const std::string &DumpWriter::timeFolder() const { return impl->timeFolder; }
