//===- NpuGraphDiff.cpp - Compare graph texts as protobuf messages --------===//
//
// npu-graph-diff A.txt B.txt
//
// The judge of import and export: parses both texts with protobuf itself and
// compares the messages, maps without order. Exit code 0 if they are equal, 2
// with the differences on the standard output otherwise, 1 if a text does not
// parse.
//
//===----------------------------------------------------------------------===//

#include "ge_ir.pb.h"

#include <google/protobuf/text_format.h>
#include <google/protobuf/util/message_differencer.h>

#include <fstream>
#include <iostream>
#include <iterator>

using google::protobuf::Message;
using google::protobuf::TextFormat;

static bool readMessage(const char *path, Message &message) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    std::cerr << "npu-graph-diff: cannot read " << path << '\n';
    return false;
  }
  std::string text{std::istreambuf_iterator<char>(file), {}};
  TextFormat::Parser parser;
  // The importer keeps fields that this schema does not have; here only the
  // known ones can be compared.
  parser.AllowUnknownField(true);
  if (parser.ParseFromString(text, &message))
    return true;
  std::cerr << "npu-graph-diff: " << path << " is no " << message.GetTypeName()
            << '\n';
  return false;
}

template <typename T>
static int compare(const char *left, const char *right) {
  T a, b;
  if (!readMessage(left, a) || !readMessage(right, b))
    return 1;
  std::string report;
  google::protobuf::util::MessageDifferencer differencer;
  differencer.ReportDifferencesToString(&report);
  if (differencer.Compare(a, b))
    return 0;
  std::cout << report;
  return 2;
}

int main(int argc, char **argv) {
  const bool bare = argc == 4 && std::string(argv[1]) == "--graph";
  if (argc != (bare ? 4 : 3)) {
    std::cerr << "usage: npu-graph-diff [--graph] A.txt B.txt\n";
    return 1;
  }
  return bare ? compare<ge::proto::GraphDef>(argv[2], argv[3])
              : compare<ge::proto::ModelDef>(argv[1], argv[2]);
}
