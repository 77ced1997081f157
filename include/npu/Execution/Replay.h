//===- Replay.h - Each node of a dump by itself -----------------*- C++ -*-===//

#ifndef NPU_EXECUTION_REPLAY_H
#define NPU_EXECUTION_REPLAY_H

#include "npu/Dump/DumpFile.h"
#include "npu/DumpTools/Metrics.h"
#include "npu/Execution/Session.h"

#include <functional>
#include <map>

namespace npu {

struct ReplayOptions {
  /// A folder with dump files, searched with all folders below. Where a file
  /// lies in a folder of digits, as those of iterations are named, it is of
  /// that iteration, else of all.
  std::string folder;
  dump::Tolerance tolerance;
  /// Where nodes that differ are left as graphs of their own, if anywhere.
  std::string exportFolder;
};

/// Runs every node of a graph on what a dump has for its inputs, and compares
/// what comes out with what the dump has for its outputs. A node that differs
/// is then wrong by itself, not for what came before.
///
/// Inputs come from the dump of the node, else from those of the nodes before
/// it, and where there is neither from the run. What a node changes in place it
/// reads as the run has it, since a dump shows what became of it.
class Replay : public ExecutionObserver {
public:
  /// An output that differs.
  struct Difference {
    const PlannedNode *node = nullptr;
    uint64_t iteration = 0;
    unsigned output = 0;
    std::string what;     ///< how, in words
    std::string exported; ///< folder of the node as a graph; empty for none
  };

  /// Lists the dumps of \p options. Tells \p warning about files that cannot be
  /// told. Fails where there are none.
  static Expected<std::unique_ptr<Replay>>
  create(ReplayOptions options,
         const std::function<void(const std::string &text)> &warning);

  Status replaceInputs(const NodeRun &run, llvm::MutableArrayRef<Buffer> inputs,
                       BufferPool &pool) override;
  Status replaceOutputs(const NodeRun &run,
                        llvm::MutableArrayRef<Buffer> outputs,
                        BufferPool &pool) override;
  Status nodeFinished(const NodeRun &) override { return {}; }

  uint64_t numCompared() const { return compared; }
  uint64_t numAgreeing() const { return agreeing; }
  /// In the order of execution.
  const std::vector<Difference> &differences() const { return found; }

private:
  using Key = std::pair<std::string, std::string>; // folder, operator
  /// What is open of the current node's run.
  struct Current {
    const PlannedNode *node = nullptr;
    std::optional<dump::DumpFile> file; ///< none where nothing was dumped
    std::vector<Buffer> inputs;         ///< by anchor
  };

  explicit Replay(ReplayOptions options) : options(std::move(options)) {}
  Status open(const NodeRun &run);
  /// How \p mine differs from \p golden, of which \p desc says what they are;
  /// empty where it does not.
  Expected<std::string> compare(const TensorDesc &desc, const std::byte *mine,
                                const std::byte *golden) const;
  Expected<std::string> exportNode(const NodeRun &run) const;

  ReplayOptions options;
  std::map<Key, std::map<uint64_t, std::string>> files; // paths by time
  std::map<std::pair<uint64_t, const void *>, size_t> occurrences;
  Current current;
  uint64_t compared = 0, agreeing = 0;
  std::vector<Difference> found;
};

} // namespace npu

#endif // NPU_EXECUTION_REPLAY_H
