//===- FusedKernel.cpp - The members of a fused node ----------------------===//

#include "FusedKernel.h"

#include "npu/Support/Prefetch.h"

#include <cstring>
#include <mutex>

using namespace mlir;
using namespace npu;
using namespace npu::kernels;
using ge::NodeOp;

namespace {

/// Runs the members of a fused node one after the other. Values between them
/// live in buffers of the pool. Members that only compute element by element
/// what the one before gives, a tail, take each part of it as soon as it is
/// there, so that it does not go through memory in between.
class FusedKernel : public Kernel {
public:
  static Expected<std::unique_ptr<Kernel>>
  create(NodeOp node, const NodeTensors &tensors,
         const std::vector<const std::byte *> &constants,
         const Registry &registry, const NumericConfig &config,
         BufferPool &pool, MemberValues &memberValues);

  Expected<NodeStatus> run(RunContext &context,
                           std::span<const ConstTensor> inputs,
                           std::span<const MutableTensor> outputs) override;

private:
  explicit FusedKernel(BufferPool &pool) : pool(pool) {}

  static constexpr unsigned NoValue = std::numeric_limits<unsigned>::max();
  struct Member {
    std::string name;
    std::unique_ptr<Kernel> kernel;
    NodeTensors tensors;
    std::vector<unsigned> inputs, outputs; // values; NoValue if unconnected
    std::vector<unsigned> lastUses;        // values that nobody reads later
    unsigned tail = 0; // how many members behind this one are its tail
    /// The output is read by the next member of a tail alone: it has no buffer
    /// of its own. That of the first one is the buffer of the last one.
    bool passesOn = false;
  };
  /// Elements of a tail that are computed at once: they stay in the first-level
  /// cache.
  static constexpr int64_t ChunkSize = 2048;
  /// Where a value lies. Inputs of the node are only read.
  struct Place {
    const std::byte *from = nullptr;
    std::byte *to = nullptr;
  };
  /// Values: the node's connected inputs, then what members compute.
  unsigned numInputs = 0, numValues = 0;
  std::vector<Member> members;
  std::vector<unsigned> results; // values that are the node's outputs
  std::vector<std::pair<unsigned, Buffer *>> kept; // values to leave behind
  BufferPool &pool;

  void findTails();
  bool continuesTail(size_t head, size_t index) const;
  NodeStatus runTail(size_t head, std::span<const Place> places, int64_t begin,
                     int64_t end);
  Status runMember(RunContext &context, size_t index,
                   std::span<const Place> places, NodeStatus &status);
};

/// Bytes of an element; 0 for types that are less than one.
unsigned elementSize(const TensorDesc &desc) {
  return getBitWidth(desc.dtype) / 8;
}

} // namespace

Expected<std::unique_ptr<Kernel>>
FusedKernel::create(NodeOp node, const NodeTensors &nodeTensors,
                    const std::vector<const std::byte *> &constants,
                    const Registry &registry, const NumericConfig &config,
                    BufferPool &pool, MemberValues &memberValues) {
  auto kernel = std::unique_ptr<FusedKernel>(new FusedKernel(pool));
  Block &body = node.getBody().front();
  llvm::DenseMap<Value, unsigned> values;
  std::vector<const std::byte *> bytes; // by value, of constant inputs
  std::vector<uint64_t> sizes;          // by value
  for (unsigned anchor = 0, e = node.getNumAnchors(); anchor != e; ++anchor)
    if (node.getAnchor(anchor)) {
      values[body.getArgument(values.size())] = values.size();
      bytes.push_back(anchor < constants.size() ? constants[anchor] : nullptr);
      sizes.push_back(nodeTensors.inputs[anchor]->byteSize());
    }
  kernel->numInputs = values.size();

  for (NodeOp op : body.getOps<NodeOp>()) {
    Member member;
    member.name = op.getNodeName().str();
    const std::string context = "member " + member.name;
    Expected<NodeTensors> tensors = getNodeTensors(op);
    if (!tensors)
      return tensors.takeStatus().withContext(context);
    std::vector<const std::byte *> memberConstants;
    for (unsigned anchor = 0; anchor != tensors->inputs.size(); ++anchor) {
      Value input = op.getAnchor(anchor);
      if (!input) {
        member.inputs.push_back(NoValue);
        memberConstants.push_back(nullptr);
        continue;
      }
      auto it = values.find(input);
      if (it == values.end())
        return Status::error(context + ": input " + std::to_string(anchor) +
                             " is of no member before it; expected members in "
                             "the order of execution");
      if (tensors->inputs[anchor]->byteSize() > sizes[it->second])
        return Status::error(
            context + ": input " + std::to_string(anchor) + " has " +
            std::to_string(tensors->inputs[anchor]->byteSize()) +
            " bytes, but its producer gives " +
            std::to_string(sizes[it->second]));
      member.inputs.push_back(it->second);
      memberConstants.push_back(it->second < bytes.size() ? bytes[it->second]
                                                          : nullptr);
    }
    for (auto [output, desc] :
         llvm::zip_equal(op.getOutputs(), tensors->outputs)) {
      const unsigned value = values.size();
      values[output] = value;
      sizes.push_back(desc.byteSize());
      member.outputs.push_back(value);
      if (auto it = memberValues.find(output); it != memberValues.end())
        kernel->kept.emplace_back(value, &it->second);
    }
    Expected<std::unique_ptr<Kernel>> bound =
        bindKernel(op, *tensors, std::move(memberConstants), registry, config,
                   pool, memberValues);
    if (!bound)
      return bound.takeStatus().withContext(context);
    member.kernel = std::move(*bound);
    member.tensors = std::move(*tensors);
    kernel->members.push_back(std::move(member));
  }
  kernel->numValues = values.size();
  for (auto [value, desc] :
       llvm::zip_equal(body.back().getOperands(), nodeTensors.outputs)) {
    auto it = values.find(value);
    if (it == values.end() || sizes[it->second] < desc.byteSize())
      return Status::error("its members do not yield " + desc.toString() +
                           "; expected an input or output of a member of that "
                           "size");
    kernel->results.push_back(it->second);
  }

  std::vector<bool> seen(kernel->numValues);
  for (unsigned result : kernel->results)
    seen[result] = true; // written into the node's own outputs
  for (auto [value, buffer] : kernel->kept)
    seen[value] = true;
  for (Member &member : llvm::reverse(kernel->members))
    for (unsigned input : member.inputs)
      if (input != NoValue && input >= kernel->numInputs && !seen[input]) {
        seen[input] = true;
        member.lastUses.push_back(input);
      }
  kernel->findTails();
  return std::unique_ptr<Kernel>(std::move(kernel));
}

/// Whether the member at \p index can take the output of the one before it part
/// by part, as the tail of the member at \p head.
bool FusedKernel::continuesTail(size_t head, size_t index) const {
  const Member &member = members[index];
  const TensorDesc &whole = members[head].tensors.outputs[0];
  const TensorDesc &output = member.tensors.outputs[0];
  return member.kernel->pointwise() &&
         output.numElements() == whole.numElements() &&
         elementSize(output) == elementSize(whole) &&
         !llvm::is_contained(member.inputs, NoValue) &&
         llvm::is_contained(member.inputs, members[index - 1].outputs[0]);
}

void FusedKernel::findTails() {
  std::vector<unsigned> readers(numValues);
  for (const Member &member : members)
    for (unsigned value : llvm::SmallDenseSet<unsigned>(member.inputs.begin(),
                                                        member.inputs.end()))
      if (value != NoValue)
        ++readers[value];
  for (unsigned result : results)
    readers[result] += 2; // has a buffer of its own
  for (auto [value, buffer] : kept)
    readers[value] += 2;

  for (size_t head = 0; head < members.size();) {
    Member &first = members[head];
    size_t end = head + 1;
    if (first.kernel->tellsFinished() && first.outputs.size() == 1 &&
        elementSize(first.tensors.outputs[0]) != 0)
      while (end < members.size() && continuesTail(head, end))
        ++end;
    first.tail = end - head - 1;
    for (size_t i = head; i + 1 < end; ++i)
      members[i].passesOn = readers[members[i].outputs[0]] == 1;
    head = end;
  }
}

/// Computes elements [begin, end) of the tail of the member at \p head, which
/// has just computed its own.
NodeStatus FusedKernel::runTail(size_t head, std::span<const Place> places,
                                int64_t begin, int64_t end) {
  alignas(64) std::byte buffers[2][ChunkSize * sizeof(uint64_t)];
  NodeStatus status;
  SmallVector<const void *, 4> inputs;
  const int64_t size = elementSize(members[head].tensors.outputs[0]);
  for (int64_t at = begin; at < end; at += ChunkSize) {
    const int64_t count = std::min(ChunkSize, end - at);
    unsigned passed = members[head].outputs[0];
    const std::byte *elements = places[passed].from + at * size;
    for (size_t i = head + 1, e = i + members[head].tail; i != e; ++i) {
      Member &member = members[i];
      inputs.clear();
      for (auto [anchor, value] : llvm::enumerate(member.inputs)) {
        const int64_t step = elementSize(*member.tensors.inputs[anchor]);
        const std::byte *data = elements;
        if (value != passed) {
          data = places[value].from + at * step;
          prefetch(data, count * step);
        }
        inputs.push_back(data);
      }
      passed = member.outputs[0];
      std::byte *const buffer = buffers[i % 2];
      std::byte *const result =
          member.passesOn ? buffer : places[passed].to + at * size;
      const bool overlaps = result == elements;
      status |= member.kernel->pointwise()->computeRange(
          at, count, inputs, overlaps ? buffer : result);
      if (overlaps)
        std::memcpy(result, buffer, count * size);
      elements = result;
    }
  }
  return status;
}

/// Runs the member at \p index and its tail.
Status FusedKernel::runMember(RunContext &context, size_t index,
                              std::span<const Place> places,
                              NodeStatus &status) {
  Member &member = members[index];
  std::vector<ConstTensor> inputs;
  std::vector<MutableTensor> outputs;
  for (auto [anchor, value] : llvm::enumerate(member.inputs))
    inputs.push_back(
        value == NoValue
            ? ConstTensor{}
            : ConstTensor{&*member.tensors.inputs[anchor], places[value].from});
  for (auto [output, value] : llvm::enumerate(member.outputs))
    outputs.push_back({&member.tensors.outputs[output], places[value].to});

  RunContext own{context.pool};
  std::mutex mutex;
  NodeStatus ofTail;
  if (member.tail != 0) {
    for (unsigned i = 1; i <= member.tail; ++i)
      members[index + i].kernel->pointwise()->prepare();
    own.finished = [&](int64_t begin, int64_t end) {
      const NodeStatus part = runTail(index, places, begin, end);
      if (part.valid == status::None && part.padding == status::None)
        return;
      std::lock_guard lock(mutex);
      ofTail |= part;
    };
  }
  Expected<NodeStatus> ofMember = member.kernel->run(own, inputs, outputs);
  if (!ofMember)
    return ofMember.takeStatus().withContext("member " + member.name);
  status |= *ofMember;
  status |= ofTail;
  return {};
}

Expected<NodeStatus> FusedKernel::run(RunContext &context,
                                      std::span<const ConstTensor> inputs,
                                      std::span<const MutableTensor> outputs) {
  std::vector<Place> places; // by value
  for (const ConstTensor &input : inputs)
    if (input)
      places.push_back({input.data});
  places.resize(numValues);
  const auto put = [&](unsigned value, std::byte *data) {
    places[value] = {data, data};
  };
  for (auto [index, result] : llvm::enumerate(results))
    if (result >= numInputs)
      put(result, outputs[index].data);

  NodeStatus status;
  std::vector<Buffer> owned(numValues);
  for (size_t index = 0; index < members.size();) {
    const size_t end = index + members[index].tail + 1;
    for (size_t i = index; i != end; ++i) {
      if (members[i].passesOn)
        continue;
      for (auto [output, value] : llvm::enumerate(members[i].outputs)) {
        if (places[value].to)
          continue;
        const TensorDesc &desc = members[i].tensors.outputs[output];
        owned[value] = pool.acquire(desc.byteSize());
        if (!owned[value])
          return Status::error(ErrorKind::Incomplete,
                               "no memory for " + desc.toString());
        put(value, owned[value].get());
      }
    }
    if (members[index].passesOn)
      put(members[index].outputs[0], places[members[end - 1].outputs[0]].to);
    if (Status done = runMember(context, index, places, status); !done)
      return done;
    for (; index != end; ++index)
      for (unsigned value : members[index].lastUses)
        owned[value] = nullptr;
  }
  // An input, or what another output has already, is passed on.
  for (auto [output, result] : llvm::zip_equal(outputs, results))
    if (places[result].from != output.data)
      std::memcpy(output.data, places[result].from, output.desc->byteSize());
  for (auto [value, buffer] : kept)
    *buffer = std::move(owned[value]);
  return status;
}

Expected<std::unique_ptr<Kernel>>
npu::makeFusedKernel(NodeOp node, const NodeTensors &tensors,
                     const std::vector<const std::byte *> &constants,
                     const Registry &registry, const NumericConfig &config,
                     BufferPool &pool, MemberValues &memberValues) {
  return FusedKernel::create(node, tensors, constants, registry, config, pool,
                             memberValues);
}
