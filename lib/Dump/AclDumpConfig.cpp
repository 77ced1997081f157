//===- AclDumpConfig.cpp - Options given as JSON --------------------------===//

#include "ConfigBuilder.h"
#include "Json.h"

#include <algorithm>

using namespace npu;
using namespace npu::dump;

namespace {

constexpr size_t maxBlacklistEntries = 100;
constexpr int maxJsonDepth = 10;

constexpr std::string_view dumpKeys[] = {
    "dump_path",      "dump_mode",  "dump_data",        "dump_level",
    "dump_op_switch", "dump_debug", "dump_step",        "dump_stats",
    "dump_scene",     "dump_list",  "dump_kernel_data",
};
constexpr std::string_view listKeys[] = {
    "model_name",       "layer",        "watcher_nodes", "optype_blacklist",
    "opname_blacklist", "opname_range",
};
constexpr std::string_view statNames[] = {
    "Max", "Min", "Avg", "Nan", "Negative Inf", "Positive Inf", "L2norm",
};

std::string join(std::span<const std::string_view> names) {
  std::string text;
  for (std::string_view name : names) {
    text += text.empty() ? "" : ", ";
    text += name;
  }
  return text;
}

/// A number in "input0" and the like: ^(input|output)\d+$.
bool isPosition(std::string_view text) {
  if (text.starts_with("input"))
    text.remove_prefix(5);
  else if (text.starts_with("output"))
    text.remove_prefix(6);
  else
    return false;
  return !text.empty() &&
         text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// Reads the "dump" object of an acl JSON file.
class AclReader {
public:
  AclReader(const Json &dump, ConfigBuilder &builder)
      : dump(dump), builder(builder) {}

  void read(MissingPath missing) {
    checkKeys(dump, dumpKeys, "dump");
    DumpConfig &config = builder.config();
    if (auto text = find("dump_mode"))
      builder.setMode(*text);
    if (auto text = find("dump_data"))
      builder.setData(*text);
    if (auto text = find("dump_step"))
      builder.setSteps(*text, StepSyntax::AclJson);
    static constexpr ConfigBuilder::Choice<bool> onOff[] = {{"off", false},
                                                            {"on", true}};
    static constexpr ConfigBuilder::Choice<DumpLevel> levels[] = {
        {"all", DumpLevel::All},
        {"op", DumpLevel::Op},
        {"kernel", DumpLevel::Kernel}};
    if (auto text = find("dump_level"))
      builder.choose("dump_level", *text, levels, config.level);
    if (auto text = find("dump_op_switch"))
      builder.choose("dump_op_switch", *text, onOff, config.singleOps);
    if (auto text = find("dump_debug"))
      builder.choose("dump_debug", *text, onOff, config.enableDumpDebug);
    if (auto text = find("dump_scene"))
      builder.fault("dump_scene", *text,
                    "exception and watcher scenes are not supported");
    find("dump_kernel_data"); // what a kernel prints: only its type is checked
    readStats();
    readList();

    config.enableDump =
        !config.enableDumpDebug && (config.singleOps || !config.list.empty());
    if (config.enableDumpDebug && config.singleOps)
      builder.fault("dump_debug='on' and dump_op_switch='on': expected at most "
                    "one of them to be on");
    if (config.enableDumpDebug && !config.list.empty())
      builder.fault("dump_debug='on' with a dump_list: expected no dump_list");
    if (config.enableDump || config.enableDumpDebug)
      builder.setPath(find("dump_path").value_or(""), missing);
    else
      builder.fault("nothing is dumped, expected a dump_list, or "
                    "dump_op_switch or dump_debug to be on");
  }

private:
  template <size_t Count>
  void checkKeys(const Json &object, const std::string_view (&known)[Count],
                 const std::string &where) {
    for (const auto &item : object.items())
      if (std::find(std::begin(known), std::end(known), item.key()) ==
          std::end(known))
        builder.fault("unknown key " + inQuotes(item.key()) + " in " + where +
                      ", expected one of " + join(known));
  }

  /// The text under \p key of \p object; none where it is absent or no text.
  std::optional<std::string> text(const Json &object, const std::string &key,
                                  const std::string &where) {
    auto item = object.find(key);
    if (item == object.end())
      return std::nullopt;
    if (item->is_string())
      return item->get_ref<const std::string &>();
    builder.fault(where, toText(*item), "expected a string");
    return std::nullopt;
  }
  std::optional<std::string> find(const std::string &key) {
    return text(dump, key, key);
  }

  /// The array under \p key, null where it is absent or none.
  const Json *array(const Json &object, const std::string &key,
                    const std::string &where) {
    auto item = object.find(key);
    if (item == object.end())
      return nullptr;
    if (item->is_array())
      return &*item;
    builder.fault(where, toText(*item), "expected an array");
    return nullptr;
  }

  std::vector<std::string> texts(const Json &object, const std::string &key,
                                 const std::string &where) {
    std::vector<std::string> result;
    if (const Json *items = array(object, key, where))
      for (const Json &item : *items) {
        if (item.is_string())
          result.push_back(item.get_ref<const std::string &>());
        else
          builder.fault(where, toText(item), "expected a string");
      }
    return result;
  }

  void readStats() {
    if (!dump.contains("dump_stats"))
      return;
    std::vector<std::string> &stats = builder.config().stats;
    stats = texts(dump, "dump_stats", "dump_stats");
    if (stats.empty())
      builder.fault("dump_stats is empty, expected some of " + join(statNames));
    for (const std::string &name : stats)
      if (std::find(std::begin(statNames), std::end(statNames), name) ==
          std::end(statNames))
        builder.fault("dump_stats", name, "expected one of " + join(statNames));
    if (builder.config().data != DumpData::Stats)
      builder.fault("dump_stats is given with dump_data='tensor', expected "
                    "dump_data='stats'");
  }

  void readList() {
    const Json *entries = array(dump, "dump_list", "dump_list");
    if (!entries)
      return;
    // An empty list means one empty entry: every operator of every model.
    if (entries->empty())
      builder.config().list.emplace_back();
    for (size_t i = 0; i < entries->size(); ++i)
      readEntry((*entries)[i], "dump_list[" + std::to_string(i) + "]");
  }

  void readEntry(const Json &json, const std::string &where) {
    DumpListEntry &entry = builder.config().list.emplace_back();
    if (!json.is_object())
      return builder.fault(where, toText(json), "expected an object");
    checkKeys(json, listKeys, where);
    entry.modelName = text(json, "model_name", where + ".model_name");
    entry.layers = texts(json, "layer", where + ".layer");
    entry.typeBlacklist = blacklist(json, "optype_blacklist", where);
    entry.nameBlacklist = blacklist(json, "opname_blacklist", where);
    readRanges(json, entry, where);
    if (entry.modelName && entry.modelName->empty())
      builder.fault(where + ".model_name", "", "expected a name");
    if (json.contains("layer") && entry.layers.empty())
      builder.fault(where + ".layer is empty, expected names of operators");
    if (json.contains("watcher_nodes"))
      builder.fault(where + ".watcher_nodes: only for dump_scene='watcher', "
                            "which is not supported");
  }

  /// Blacklists and ranges are for dump_level op alone.
  void checkLevel(const std::string &where) {
    if (builder.config().level != DumpLevel::Op)
      builder.fault(where + " is given, expected dump_level='op' with it");
  }

  std::vector<DumpBlacklistEntry> blacklist(const Json &json,
                                            const std::string &key,
                                            const std::string &entry) {
    std::vector<DumpBlacklistEntry> result;
    const std::string where = entry + "." + key;
    const Json *items = array(json, key, where);
    if (!items)
      return result;
    checkLevel(where);
    if (items->size() > maxBlacklistEntries)
      builder.fault(where + " has " + std::to_string(items->size()) +
                    " entries, expected at most " +
                    std::to_string(maxBlacklistEntries));
    for (const Json &item : *items) {
      if (!item.is_object()) {
        builder.fault(where, toText(item), "expected an object");
        continue;
      }
      result.push_back({text(item, "name", where + ".name").value_or(""),
                        texts(item, "pos", where + ".pos")});
      if (result.back().name.empty())
        builder.fault(where + ".name", "", "expected a name");
      for (const std::string &position : result.back().positions)
        if (!isPosition(position))
          builder.fault(where + ".pos", position, "expected inputN or outputN");
    }
    return result;
  }

  void readRanges(const Json &json, DumpListEntry &entry,
                  const std::string &entryName) {
    const std::string where = entryName + ".opname_range";
    const Json *items = array(json, "opname_range", where);
    if (!items)
      return;
    checkLevel(where);
    if (!entry.modelName)
      builder.fault(where + " is given, expected a model_name with it");
    for (const Json &item : *items) {
      if (!item.is_object()) {
        builder.fault(where, toText(item), "expected an object");
        continue;
      }
      DumpOpRange &range = entry.ranges.emplace_back();
      range.begin = text(item, "begin", where + ".begin").value_or("");
      range.end = text(item, "end", where + ".end").value_or("");
      if (range.begin.empty() || range.end.empty())
        builder.fault(where, toText(item), "expected both begin and end");
    }
  }

  const Json &dump;
  ConfigBuilder &builder;
};

} // namespace

ParsedDumpConfig npu::dump::parseDumpJson(std::string_view text,
                                          MissingPath missing) {
  bool tooDeep = false;
  const Json root = Json::parse(
      text,
      [&](int depth, Json::parse_event_t, Json &) {
        tooDeep |= depth > maxJsonDepth;
        return !tooDeep;
      },
      /*allow_exceptions=*/false);
  ConfigBuilder builder;
  if (tooDeep) {
    builder.fault("the dump configuration is nested more than " +
                  std::to_string(maxJsonDepth) + " levels deep");
    return builder.take();
  }
  if (!root.is_object()) {
    builder.fault("the dump configuration is not a JSON object");
    return builder.take();
  }
  if (auto dump = root.find("dump"); dump != root.end()) {
    if (dump->is_object())
      AclReader(*dump, builder).read(missing);
    else
      builder.fault("dump", toText(*dump), "expected an object");
    return builder.take();
  }
  std::vector<DumpOption> options;
  std::vector<std::string> faults;
  for (const auto &item : root.items()) {
    if (item.value().is_string())
      options.emplace_back(item.key(),
                           item.value().get_ref<const std::string &>());
    else
      faults.push_back(item.key() + "=" + inQuotes(toText(item.value())) +
                       ": expected a string");
  }
  ParsedDumpConfig parsed = parseDumpOptions(options, missing);
  parsed.faults.insert(parsed.faults.begin(), faults.begin(), faults.end());
  return parsed;
}
