//===- DumpNameTest.cpp - Names of dump files and folders -----------------===//

#include "npu/Dump/DumpName.h"

#include "TestSupport.h"

using namespace npu;
using namespace npu::dump;
using namespace npu::dump::test;

TEST(DumpName, FourCharactersAreReplaced) {
  EXPECT_EQ(replaceNameCharacters("a b.c/d\\e"), "a_b_c_d_e");
  EXPECT_EQ(replaceNameCharacters("a:b,c\"\tд"), "a:b,c\"\tд");
  EXPECT_EQ(replaceNameCharacters(""), "");
}

TEST(DumpName, FileNames) {
  DumpName name{"Conv2D", "res/conv1.relu", 3, 7, 1717171717123456, {}};
  EXPECT_EQ(toFileName(name), "Conv2D.res_conv1_relu.3.7.1717171717123456");
  name.streamId.reset();
  EXPECT_EQ(toFileName(name), "Conv2D.res_conv1_relu.3.1717171717123456");
  name = {"Opdebug", "Node_OpDebug", 0, 3, 1673383728094391, {}};
  name.slice = {1, 0, 2};
  EXPECT_EQ(toFileName(name),
            "Opdebug.Node_OpDebug.0.3.1673383728094391.4.1.0.2");
}

TEST(DumpName, FileNamesAreParsed) {
  const DumpName plain{"Conv2D", "a_b", 3, 7, 1717171717123456, {}};
  EXPECT_EQ(parseFileName("Conv2D.a_b.3.7.1717171717123456"), plain);
  EXPECT_EQ(
      parseFileName("Pooling.pool1.1147.1589195081588018"),
      (DumpName{"Pooling", "pool1", 1147, std::nullopt, 1589195081588018, {}}));
  EXPECT_EQ(parseFileName("T.n.0.3.5.4.1.0.2"),
            (DumpName{"T", "n", 0, 3, 5, DumpName::Slice{1, 0, 2}}));
  for (const char *bad :
       {"", "a", "a.b.1", "a.b.x.1", "a.b.1.x.2", "a.b.1.2.3.csv",
        "a.b.1.2.3.output.0.npy", "a.b.-1.2.3", "a.b.4294967296.2.3",
        ".b.1.2.3", "a..1.2.3", "a.b.1.2.3.", "T.n.0.3.5.3.1.0.2",
        "a.b.1.2.18446744073709551616"})
    EXPECT_FALSE(parseFileName(bad)) << bad;
}

TEST(DumpName, ShortNamesAreFnv1a) {
  // Test vectors of the FNV authors: "" and "foobar".
  EXPECT_EQ(makeShortName(""), std::to_string(0xcbf29ce484222325));
  EXPECT_EQ(makeShortName("foobar"), std::to_string(0x85944171f73967e8));
  EXPECT_TRUE(isShortName("0123"));
  EXPECT_FALSE(isShortName(""));
  EXPECT_FALSE(isShortName("12a"));
}

TEST(DumpName, MappingRowsAreQuotedWhereNeeded) {
  EXPECT_EQ(formatMappingRow("12", "a.b.1.2.3"), "12,a.b.1.2.3\n");
  EXPECT_EQ(formatMappingRow("12", "a,b\"c\"d"), "12,\"a,b\"\"c\"\"d\"\n");
  EXPECT_EQ(formatMappingRow("12", "a\nb"), "12,\"a\nb\"\n");
}

TEST(DumpName, MappingsAreReadTolerantly) {
  using Map = std::map<std::string, std::string>;
  EXPECT_EQ(parseMapping(""), Map());
  EXPECT_EQ(parseMapping("1,a\n2,b\r\n3,c"),
            (Map{{"1", "a"}, {"2", "b"}, {"3", "c"}}));
  EXPECT_EQ(parseMapping("1,a,b\n"), (Map{{"1", "a,b"}}));
  EXPECT_EQ(parseMapping("1,\"a,b\"\"c\"\r\n2,d\n"),
            (Map{{"1", "a,b\"c"}, {"2", "d"}}));
  EXPECT_EQ(parseMapping("1,\"x\ny\"\n2,d\n"),
            (Map{{"1", "x\ny"}, {"2", "d"}}));
  EXPECT_EQ(parseMapping("1,\"open\n2,\"half\" open\n"),
            (Map{{"1", "\"open"}, {"2", "\"half\" open"}}));
  EXPECT_EQ(parseMapping("name,original\n\n7\n,x\n1,a\n1,a\n"),
            (Map{{"1", "a"}}));
  EXPECT_EQ(parseMapping("\xef\xbb\xbf"
                         "1,a\n"),
            (Map{{"1", "a"}}));
}

TEST(DumpName, EveryRowComesBack) {
  for (const char *name : {"a", "a,b", "\"", "\"\"", "a\"", "\"a", "a\r\nb",
                           "\n", ",", "\r", "д,\"д"}) {
    const std::string text =
        formatMappingRow("1", name) + formatMappingRow("2", "next");
    EXPECT_EQ(parseMapping(text),
              (std::map<std::string, std::string>{{"1", name}, {"2", "next"}}))
        << name;
  }
}

TEST(DumpName, MissingMappingIsEmpty) {
  TempDir dir;
  Expected<std::map<std::string, std::string>> mapping =
      readMapping(dir.path());
  ASSERT_TRUE(mapping.ok());
  EXPECT_TRUE(mapping->empty());
  writeText(dir.path() + "/mapping.csv", "5,x\n");
  EXPECT_EQ(readMapping(dir.path())->at("5"), "x");
}

TEST(DumpName, Folders) {
  EXPECT_EQ(toPath({0, "net.a", 1, 24}), "0/net_a/1/24");
  EXPECT_EQ(toPath({3, std::nullopt, 1, 0}), "3/1/0");
  EXPECT_EQ(toPath({0, "n", 1, std::nullopt}), "0/n/1");
  EXPECT_EQ(toPath({7, std::nullopt, std::nullopt, std::nullopt}), "7");
}
