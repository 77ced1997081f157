//===- ProtobufParse.cpp - The peer of the import benchmark ---------------===//
//
// ProtobufParse GRAPH.txt: parses the text with protobuf's TextFormat, into
// messages on the heap and on an arena, and prints the seconds of each.
//
//===----------------------------------------------------------------------===//

#include "ge_ir.pb.h"

#include <google/protobuf/arena.h>
#include <google/protobuf/text_format.h>

#include <chrono>
#include <fstream>
#include <iostream>
#include <iterator>

using Clock = std::chrono::steady_clock;

static double since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

int main(int argc, char **argv) {
  if (argc != 2) {
    std::cerr << "usage: ProtobufParse GRAPH.txt\n";
    return 1;
  }
  std::ifstream file(argv[1], std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};

  const Clock::time_point heapStart = Clock::now();
  auto onHeap = std::make_unique<ge::proto::ModelDef>();
  const bool parsed =
      google::protobuf::TextFormat::ParseFromString(text, onHeap.get());
  const double heap = since(heapStart);
  onHeap.reset();

  const Clock::time_point arenaStart = Clock::now();
  google::protobuf::Arena arena;
  auto *onArena =
      google::protobuf::Arena::CreateMessage<ge::proto::ModelDef>(&arena);
  google::protobuf::TextFormat::ParseFromString(text, onArena);
  const double onArenaSeconds = since(arenaStart);
  if (!parsed) {
    std::cerr << "ProtobufParse: " << argv[1] << " does not parse\n";
    return 1;
  }
  std::cout << heap << ' ' << onArenaSeconds << '\n';
  return 0;
}
