//===- FileTest.cpp - Files, read by mapping and written whole ------------===//

#include "npu/Support/File.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sys/stat.h>
#include <unistd.h>

using namespace npu;

namespace {
class File : public testing::Test {
protected:
  File() {
    std::string name =
        (std::filesystem::temp_directory_path() / "npu-file-XXXXXX").string();
    folder = ::mkdtemp(name.data());
  }
  ~File() override {
    std::error_code error;
    std::filesystem::remove_all(folder, error);
  }
  std::string at(const char *name) const { return folder + "/" + name; }
  static std::string read(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }

  std::string folder;
};
} // namespace

TEST_F(File, WrittenWholeAndMapped) {
  const std::string one = "one", two = "two";
  const ByteView parts[] = {asBytes(one), {}, asBytes(two)};
  ASSERT_TRUE(writeFile(at("f"), parts).ok());
  ASSERT_TRUE(writeFile(at("f"), parts).ok()); // replaces
  Expected<MappedFile> file = MappedFile::open(at("f"));
  ASSERT_TRUE(file.ok());
  MappedFile moved = std::move(*file);
  EXPECT_EQ(std::string(reinterpret_cast<const char *>(moved.bytes().data()),
                        moved.bytes().size()),
            "onetwo");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);
}

TEST_F(File, WrittenThroughLinksAndToWhatIsNoFile) {
  const std::string text = "abc";
  const ByteView part = asBytes(text);
  std::filesystem::create_symlink("target", at("link"));
  std::ofstream(at("target")) << "old";
  ASSERT_TRUE(writeFile(at("link"), {&part, 1}).ok());
  EXPECT_TRUE(std::filesystem::is_symlink(at("link")));
  EXPECT_EQ(read(at("target")), text);

  ASSERT_EQ(::mkfifo(at("pipe").c_str(), 0600), 0);
  const int end = ::open(at("pipe").c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_TRUE(writeFile(at("pipe"), {&part, 1}).ok());
  char bytes[8];
  EXPECT_EQ(::read(end, bytes, sizeof(bytes)), 3);
  ::close(end);
  EXPECT_TRUE(std::filesystem::is_fifo(at("pipe")));
}

TEST_F(File, Faults) {
  EXPECT_EQ(MappedFile::open(at("f")).status().message(),
            at("f") + ": No such file or directory");
  EXPECT_EQ(MappedFile::open(folder).status().message(),
            folder + ": not a regular file");
  ASSERT_EQ(::mkfifo(at("fifo").c_str(), 0600), 0);
  EXPECT_EQ(MappedFile::open(at("fifo")).status().message(),
            at("fifo") + ": not a regular file");
  const Status status = writeFile(at("none/f"), {});
  EXPECT_EQ(status.message(), at("none/f") + ": No such file or directory");
  EXPECT_EQ(status.kind(), ErrorKind::Incomplete);
}

TEST_F(File, EmptyFileHasNoBytes) {
  ASSERT_TRUE(writeFile(at("f"), {}).ok());
  Expected<MappedFile> file = MappedFile::open(at("f"));
  ASSERT_TRUE(file.ok());
  EXPECT_TRUE(file->bytes().empty());
}

TEST_F(File, RenameNeverReplaces) {
  const std::string text = "a";
  const ByteView parts[] = {asBytes(text)};
  ASSERT_TRUE(writeFile(at("a"), parts).ok());
  ASSERT_TRUE(writeFile(at("b"), {}).ok());
  FileDescriptor fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY));
  EXPECT_EQ(renameNoReplace(fd.get(), "a", "b"), EEXIST);
  EXPECT_EQ(read(at("b")), "");
  EXPECT_EQ(renameNoReplace(fd.get(), "a", "c"), 0);
  EXPECT_EQ(read(at("c")), "a");
  EXPECT_EQ(renameNoReplace(fd.get(), "a", "d"), ENOENT);
}
