//===- RunOptions.h - The command line of npu-run --------------*- C++ -*-===//

#ifndef NPU_LIB_TOOLS_RUNOPTIONS_H
#define NPU_LIB_TOOLS_RUNOPTIONS_H

#include "DiskBudget.h"
#include "OverflowRun.h"

#include "npu/Dump/DumpConfig.h"
#include "npu/Execution/InferShapes.h"
#include "npu/Execution/Replay.h"
#include "npu/Execution/Session.h"
#include "npu/Transforms/RecoverFused.h"

#include "llvm/Support/CommandLine.h"

namespace npu {

/// The options of npu-run; they exist while a command line is read and used.
struct RunOptions {
  template <typename T>
  using Option = llvm::cl::opt<T>;
  template <typename T>
  using List = llvm::cl::list<T>;
  using desc = llvm::cl::desc;
  using cat = llvm::cl::cat;
  using value_desc = llvm::cl::value_desc;

  llvm::cl::OptionCategory category{"npu-run options"};
  List<std::string> graphs{
      llvm::cl::Positional, llvm::cl::OneOrMore,
      desc("GRAPH... (graph text, MLIR, or a folder of stage files)"),
      cat(category)};

  // Data.
  List<std::string> inputs{"input", desc("Data for an input of the graph"),
                           value_desc("NAME=FILE.npy"), cat(category)};
  List<std::string> bindings{"bind", desc("Data for a constant or variable"),
                             value_desc("NAME=FILE.npy"), cat(category)};
  List<std::string> fallbacks{"fallback",
                              desc("Output of a node that has no kernel"),
                              value_desc("NAME=FILE.npy"), cat(category)};
  List<std::string> inputShapes{
      "input-shape",
      desc("Shapes of inputs with unknown dimensions that have no file"),
      value_desc("'NAME:DIM,DIM;...'"), cat(category)};
  Option<std::string> init{
      "init",
      desc("What inputs and constants without data get: fail (default) or "
           "random:SEED"),
      value_desc("fail|random:SEED"), llvm::cl::init("fail"), cat(category)};

  Option<uint64_t> seed{"seed",
                        desc("Seed for random operators that have none"),
                        value_desc("N"), llvm::cl::init(0), cat(category)};

  // Execution.
  List<uint64_t> iterations{
      "iterations", llvm::cl::CommaSeparated,
      desc("How often to run each graph, or a number for each"),
      value_desc("N,..."), cat(category)};
  Option<uint64_t> stepId{
      "step-id",
      desc("Step of the model that the first iteration is, for the numbers of "
           "iterations"),
      value_desc("N"), llvm::cl::init(0), cat(category)};
  Option<uint64_t> iterationsPerLoop{
      "iterations-per-loop",
      desc("The device's variable of this name: one less than the iterations "
           "of a step"),
      value_desc("N"), llvm::cl::init(0), cat(category)};
  Option<uint64_t> loopCond{
      "loop-cond", desc("Place in its step that the first iteration has"),
      value_desc("N"), llvm::cl::init(0), cat(category)};
  Option<std::string> soc{
      "soc", desc("Ascend310, Ascend310P, Ascend910A (default) or Ascend910B"),
      value_desc("NAME"), llvm::cl::init("Ascend910A"), cat(category)};
  Option<std::string> overflowMode{"overflow-mode",
                                   desc("saturate or infnan; default by SoC"),
                                   value_desc("MODE"), cat(category)};
  Option<bool> flushDenormals{
      "flush-denormals",
      desc("Denormal fp16 results and constants become zero"), cat(category)};
  Option<unsigned> threads{"threads",
                           desc("Threads; 0 (default) is one a processor"),
                           value_desc("N"), llvm::cl::init(0), cat(category)};
  Option<std::string> simd{
      "simd",
      desc("Instruction set: portable, avx2 or avx512; the best by default. "
           "All give the same bits"),
      value_desc("NAME"), cat(category)};
  Option<std::string> fusionSource{
      "fusion-source",
      desc("A stage of the graph from before fusion, for the members of fused "
           "nodes"),
      value_desc("FILE"), cat(category)};
  Option<std::string> assumeQuant{
      "assume-quant",
      desc("Scale and offset of quantisations in fused nodes whose own nothing "
           "tells"),
      value_desc("SCALE,OFFSET"), cat(category)};

  // Dumps.
  Option<std::string> enableDump{"enable-dump", llvm::cl::ValueOptional,
                                 desc("Write dump files"), cat(category)};
  Option<std::string> dumpPath{"dump-path", desc("Folder for dumps"),
                               value_desc("DIR"), cat(category)};
  Option<std::string> dumpStep{"dump-step",
                               desc("Iterations to dump, as in 0|3-5|10"),
                               value_desc("STEPS"), cat(category)};
  Option<std::string> dumpMode{"dump-mode",
                               desc("input, output (default) or all"),
                               value_desc("MODE"), cat(category)};
  Option<std::string> dumpData{
      "dump-data", desc("tensor (default) or stats: a CSV with statistics"),
      value_desc("DATA"), cat(category)};
  Option<std::string> dumpLayer{
      "dump-layer", desc("Nodes to dump: names or patterns with spaces"),
      value_desc("LAYERS"), cat(category)};
  Option<bool> dumpMembers{
      "dump-members",
      desc("Dump the members of fused nodes as well, which no NPU does"),
      cat(category)};
  Option<std::string> dumpBudget{
      "dump-budget",
      desc("Bytes that dumps may take (K, M, G, T); any: go on even where the "
           "disk has less"),
      value_desc("BYTES|any"), cat(category)};
  Option<std::string> dumpConfig{"dump-config",
                                 desc("acl JSON file with the dump options"),
                                 value_desc("FILE.json"), cat(category)};

  // Overflow.
  Option<std::string> enableDumpDebug{
      "enable-dump-debug", llvm::cl::ValueOptional,
      desc("Detect overflow: write OpDebug records and the dumps of the nodes "
           "that overflow"),
      cat(category)};
  Option<std::string> dumpDebugMode{
      "dump-debug-mode",
      desc("aicore_overflow, atomic_overflow or all (default)"),
      value_desc("MODE"), cat(category)};
  Option<bool> checkOverflow{
      "check-overflow",
      desc("Tell where overflows start and how they spread, without records"),
      cat(category)};
  Option<std::string> failOnOverflow{
      "fail-on-overflow", llvm::cl::ValueOptional,
      desc("End with exit code 2 after an overflow: any (default), or "
           "persistent, in at least half of the iterations"),
      value_desc("any|persistent"), cat(category)};
  Option<std::string> statusMask{
      "status-mask",
      desc("Status bits that count as overflow; the six documented ones "
           "(0x5b8) by default"),
      value_desc("BITS"), cat(category)};
  Option<std::string> overflowPadding{
      "overflow-padding",
      desc("Whether overflow in lanes that only pad a format makes a record: "
           "count (default, as the device does) or ignore"),
      value_desc("count|ignore"), cat(category)};
  Option<std::string> overflowLayout{
      "overflow-layout",
      desc("Folder of records: guide (default), as the overflow guide has it, "
           "or current, with the model's name"),
      value_desc("guide|current"), cat(category)};
  Option<std::string> lossScale{
      "loss-scale", desc("Simulate a dynamic loss scale over the iterations"),
      value_desc("START[:FACTOR[:INTERVAL]]"), cat(category)};
  Option<std::string> halfRisk{
      "half-risk", llvm::cl::ValueOptional,
      desc("List fp32 nodes whose results fp16 cannot hold, or that come above "
           "a threshold (50000)"),
      value_desc("THRESHOLD"), cat(category)};
  Option<std::string> halfRiskList{
      "half-risk-list", desc("Where to write the names of these nodes"),
      value_desc("FILE"), cat(category)};

  Option<std::string> suspiciousValues{
      "suspicious-values",
      desc("Count results with one of these values, such as 38400,51200"),
      value_desc("LIST"), cat(category)};

  // Replay.
  Option<std::string> replay{
      "replay",
      desc("Compute each node from what a dump has for its inputs, and compare "
           "with its outputs there; exit code 2 where one differs"),
      value_desc("DIR"), cat(category)};
  Option<double> replayRtol{
      "replay-rtol",
      desc("Relative error that counts as equal (0): |mine - dump| <= ATOL + "
           "RTOL |dump|"),
      value_desc("X"), llvm::cl::init(0), cat(category)};
  Option<double> replayAtol{"replay-atol", desc("Absolute error (0)"),
                            value_desc("X"), llvm::cl::init(0), cat(category)};
  Option<std::string> replayDir{
      "replay-dir",
      desc("Where to leave each node that differs as a graph of its own"),
      value_desc("DIR"), cat(category)};

  Option<unsigned> deviceId{"device-id", desc("Names the dump folder"),
                            value_desc("N"), llvm::cl::init(0), cat(category)};
  Option<unsigned> modelId{"model-id",
                           desc("Names the dump folder; of several graphs the "
                                "first one's"),
                           value_desc("N"), llvm::cl::init(1), cat(category)};

  // Results.
  Option<std::string> outputDir{"output-dir",
                                desc("Folder for the graph's outputs"),
                                value_desc("DIR"), cat(category)};
  Option<std::string> listShapes{
      "list-shapes",
      desc("Run nothing, but write the shapes of all tensors as CSV"),
      value_desc("FILE.csv"), cat(category)};
  Option<std::string> report{"report", desc("Where to write what ran"),
                             value_desc("FILE.json"), cat(category)};
};

/// What the options say, checked as far as it can be without the graph.
struct RunSettings {
  SessionOptions session;
  std::vector<uint64_t> iterations; ///< one for all graphs, or one for each
  uint64_t firstIteration = 0;
  /// By name of the node: one shape, or one for each iteration.
  llvm::StringMap<std::vector<Shape>> inputShapes;
  dump::DumpConfig dump;
  DumpLimit dumpLimit;
  OverflowSettings overflow;
  /// Whether the folder of a dump has the model's name as a level.
  bool modelNameInFolder = true;
  /// Files that the run reads: none of them is ever written.
  std::vector<std::string> inputFiles;
  std::optional<QuantAssumption> quant;
  std::optional<ReplayOptions> replay;
  /// Choices that were made because an option is not given.
  std::vector<std::string> assumptions;
};
Expected<RunSettings> readRunOptions(const RunOptions &options);

/// Fails if \p path is one of \p inputFiles under whatever name.
Status checkNoInput(const std::string &path,
                    llvm::ArrayRef<std::string> inputFiles);

} // namespace npu

#endif // NPU_LIB_TOOLS_RUNOPTIONS_H
