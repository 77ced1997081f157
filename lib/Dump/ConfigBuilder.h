//===- ConfigBuilder.h - Checks that both option forms share ---*- C++ -*-===//

#ifndef NPU_LIB_DUMP_CONFIGBUILDER_H
#define NPU_LIB_DUMP_CONFIGBUILDER_H

#include "npu/Dump/DumpConfig.h"

namespace npu::dump {

/// Sets members of a DumpConfig from text and notes what is wrong.
class ConfigBuilder {
public:
  template <typename Value>
  struct Choice {
    std::string_view name;
    Value value;
  };

  /// One fault: "OPTION=VALUE: EXPECTED", fit to be one line.
  void fault(std::string_view option, std::string_view value,
             const std::string &expected);
  void fault(std::string line) { result.faults.push_back(std::move(line)); }

  template <typename Value, size_t Count>
  void choose(std::string_view option, std::string_view text,
              const Choice<Value> (&choices)[Count], Value &member) {
    std::string names;
    for (size_t i = 0; i < Count; ++i) {
      if (choices[i].name == text) {
        member = choices[i].value;
        return;
      }
      names += i == 0 ? "" : i + 1 == Count ? " or " : ", ";
      names += choices[i].name;
    }
    fault(option, text, "expected " + names);
  }

  void setMode(std::string_view text);
  void setData(std::string_view text);
  void setSteps(std::string_view text, StepSyntax syntax);
  /// \p text is the path as given; called only where a path is needed.
  void setPath(std::string_view text, MissingPath missing);

  DumpConfig &config() { return result.config; }
  ParsedDumpConfig take() { return std::move(result); }

private:
  ParsedDumpConfig result;
};

/// \p text in quotes, control characters replaced and cut to a readable length.
std::string inQuotes(std::string_view text);

} // namespace npu::dump

#endif // NPU_LIB_DUMP_CONFIGBUILDER_H
