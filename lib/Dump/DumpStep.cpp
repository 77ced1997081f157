//===- DumpStep.cpp - Which iterations are dumped -------------------------===//

#include "npu/Dump/DumpStep.h"

#include <algorithm>
#include <charconv>
#include <climits>

using namespace npu;
using namespace npu::dump;

static std::string_view trimmedForMessage(std::string_view text) {
  return text.substr(0, 40);
}

/// Takes a number of digits only off the front of \p text.
static Expected<uint64_t> takeNumber(std::string_view &text) {
  const size_t digits =
      std::min(text.find_first_not_of("0123456789"), text.size());
  if (digits == 0)
    return Status::error("expected a step N or a range N-M of digits only");
  uint64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + digits, value);
  if (error != std::errc() || value > INT_MAX)
    return Status::error("a step must be at most 2147483647");
  text.remove_prefix(digits);
  return value;
}

Expected<DumpSteps> DumpSteps::parse(std::string_view text, StepSyntax syntax) {
  DumpSteps steps;
  if (text.empty())
    return steps;
  if (const size_t items = std::count(text.begin(), text.end(), '|') + 1;
      items > MaxItems)
    return Status::error("dump_step has " + std::to_string(items) +
                         " items, expected at most " +
                         std::to_string(MaxItems));

  size_t start = 0;
  while (start <= text.size()) {
    const size_t end = std::min(text.find('|', start), text.size());
    const std::string_view item = text.substr(start, end - start);
    auto fault = [&](const std::string &reason) {
      return Status::error(
          "dump_step item " + std::to_string(steps.ranges.size() + 1) + " '" +
          std::string(trimmedForMessage(item)) + "' at character " +
          std::to_string(start + 1) + ": " + reason);
    };
    std::string_view rest = item;
    Expected<uint64_t> first = takeNumber(rest);
    if (!first)
      return fault(first.status().message());
    uint64_t last = *first;
    if (rest.starts_with('-')) {
      rest.remove_prefix(1);
      Expected<uint64_t> number = takeNumber(rest);
      if (!number)
        return fault(number.status().message());
      last = *number;
      if (*first > last || (*first == last && syntax == StepSyntax::Option))
        return fault(syntax == StepSyntax::Option
                         ? "the start must be smaller than the end"
                         : "the start must not be greater than the end");
    }
    if (!rest.empty())
      return fault("expected a step N or a range N-M of digits only");
    steps.ranges.push_back({*first, last});
    start = end + 1;
  }
  return steps;
}

bool DumpSteps::contains(uint64_t step) const {
  return all() || std::any_of(ranges.begin(), ranges.end(), [&](Range range) {
           return range.first <= step && step <= range.last;
         });
}

bool DumpSteps::containsAny(uint64_t first, uint64_t end) const {
  return first < end && (all() || std::any_of(
                                      ranges.begin(), ranges.end(),
                                      [&](Range range) {
                                        return range.first < end &&
                                               first <= range.last;
                                      }));
}

std::vector<uint64_t> DumpSteps::boundaries() const {
  std::vector<uint64_t> steps;
  for (auto [first, last] : ranges)
    steps.insert(steps.end(), {first, last + 1});
  return steps;
}

std::string DumpSteps::str() const {
  std::string text;
  for (auto [first, last] : ranges) {
    text += (text.empty() ? "" : "|") + std::to_string(first);
    if (first != last)
      text += "-" + std::to_string(last);
  }
  return text;
}
