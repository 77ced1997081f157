//===- CompareRow.cpp - A row of the result of compare --------------------===//

#include "CompareRow.h"

#include "npu/Dump/CsvText.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

using namespace npu;
using namespace npu::dump;

std::string_view npu::dump::getName(Verdict verdict) {
  switch (verdict) {
  case Verdict::Pass:
    return "PASS";
  case Verdict::Fail:
    return "FAIL";
  case Verdict::Skip:
    return "SKIP";
  case Verdict::Missing:
    return "MISSING";
  case Verdict::Error:
    return "ERROR";
  }
  return "";
}

std::string npu::dump::getCompareHeader(const CompareOptions &options,
                                        bool hasArrays) {
  // An array has no address; Ascend's tool leaves its column out.
  std::string header = "Index,OpType,NPUDump,DataType,Address,GroundTruth,";
  header += hasArrays && options.compat ? "DataType," : "DataType,Address,";
  header += "TensorIndex,Shape";
  if (options.overflowColumn)
    header += ",OverFlow";
  for (size_t i = 0; i < options.metrics.size(); ++i)
    if (options.metrics[i])
      header += "," + std::string(MetricNames[i]);
  header += ",CompareFailReason";
  if (!options.compat)
    header += ",Verdict,MismatchRatio,Mismatches,MaxUlp,FirstDifference,"
              "ZeroReferences,NonFinite,GoldenNonFinite,InputRanges,"
              "StatisticsDistance";
  return header + "\n";
}

/// A number of the report: all digits, or as Ascend's tool six decimals.
static std::string toText(const std::optional<double> &value, bool compat) {
  if (!value)
    return "NaN"; // was not computed
  if (std::isnan(*value))
    return "nan";
  char text[400];
  if (compat)
    return std::string(text, static_cast<size_t>(std::snprintf(
                                 text, sizeof(text), "%.6f", *value)));
  return std::string(text, std::to_chars(text, std::end(text), *value).ptr);
}

static std::string toText(const Moments &moments, bool compat) {
  auto number = [&](double value) {
    if (!compat || std::isnan(value)) // whose sign is of no meaning
      return toText(std::optional(value), false);
    char text[400];
    if (std::fabs(value) < 0.001)
      value = 0;
    return std::string(text, static_cast<size_t>(std::snprintf(
                                 text, sizeof(text), "%.3f", value)));
  };
  return "(" + number(moments.mean) + ";" + number(moments.deviation) + ")";
}

/// "2 nan, first (0,2,1); 1 inf; 1 -inf, first inf (0,0,3)".
static std::string toText(const NonFinite &values, const Shape &shape) {
  std::string text;
  auto add = [&](uint64_t number, const char *what) {
    if (number != 0)
      text += (text.empty() ? "" : ", ") + std::to_string(number) + " " + what;
  };
  add(values.nans, "nan");
  add(values.positiveInfs, "inf");
  add(values.negativeInfs, "-inf");
  if (values.firstNan)
    text += ", first nan " + toIndexText(*values.firstNan, shape);
  if (values.firstInf)
    text += ", first inf " + toIndexText(*values.firstInf, shape);
  return text;
}

static std::string toText(const std::optional<Difference> &difference,
                          const Shape &shape) {
  if (!difference)
    return {};
  return toIndexText(difference->index, shape) + ": " +
         toText(std::optional(difference->mine), false) + " against " +
         toText(std::optional(difference->golden), false);
}

static bool isScalar(const Shape &shape) { return getNumElements(shape) == 1; }

/// The relative metric \p value; where no golden value allows one, so it says.
static std::string toRelative(const Metrics &metrics,
                              const std::optional<double> &value, bool compat) {
  if (!compat && metrics.numZeroReferences != 0 &&
      metrics.numZeroReferences == metrics.numMismatches && value == 0)
    return "n/a (zero reference)";
  return toText(value, compat);
}

/// The cells of all metrics.
static std::array<std::string, std::size(MetricNames)>
toMetricCells(const TensorComparison &result, bool compat) {
  std::array<std::string, std::size(MetricNames)> cells;
  cells.fill("NaN");
  if (!result.metrics)
    return cells;
  const Metrics &m = *result.metrics;
  auto cell = [&](const std::optional<double> &value) {
    return toText(value, compat);
  };
  cells = {
      cell(isScalar(result.shape) && compat ? std::optional(1.0) : m.cosine),
      cell(m.maxAbsolute),
      toRelative(m, m.accumulatedRelative, compat),
      cell(m.relativeEuclidean),
      cell(m.kullbackLeibler),
      quoteCsv(toText(m.mineMoments, compat) + "," +
               toText(m.goldenMoments, compat)),
      cell(m.meanAbsolute),
      cell(m.rootMeanSquare),
      toRelative(m, m.maxRelative, compat),
      toRelative(m, m.meanRelative, compat)};
  return cells;
}

static std::string toReason(const CompareRow &row, bool compat) {
  const TensorComparison &result = row.result;
  if (compat && result.metrics) // notes are ours
    return isScalar(result.shape) ? "This tensor is scalar." : "";
  return result.reason;
}

/// The cells that msaccucmp does not have, behind the verdict.
static std::string toOwnCells(const CompareRow &row) {
  auto number = [](double value) {
    return "," + toText(std::optional(value), false);
  };
  auto quote = [](const std::string &text) { return "," + quoteCsv(text); };
  const Shape &shape = row.result.shape;
  std::string text;
  if (const std::optional<Metrics> &m = row.result.metrics) {
    text += number(m->mismatchRatio());
    text += "," + std::to_string(m->numMismatches);
    text += "," + (m->maxUlp ? std::to_string(*m->maxUlp) : std::string());
    text += quote(toText(m->first, shape));
    text += "," + std::to_string(m->numZeroReferences);
    text += quote(toText(m->mine, shape)) + quote(toText(m->golden, shape));
  } else if (const auto &statistics = row.result.statistics) {
    text += ",," + std::to_string(statistics->numDifferent) + ",";
    text += quote(statistics->first) + ",";
    text += quote(toText(statistics->mine, shape));
    text += quote(toText(statistics->golden, shape));
  } else {
    text += ",,,,,,,";
  }
  text += quote(row.inputRanges);
  if (const auto &statistics = row.result.statistics)
    return text + number(statistics->distance);
  return text + ",";
}

std::string npu::dump::toCsv(const CompareRow &row, uint64_t number,
                             const CompareOptions &options, bool hasArrays) {
  const TensorComparison &result = row.result;
  const bool compat = options.compat;
  auto quote = [](const std::string &text) { return "," + quoteCsv(text); };
  std::string text = std::to_string(number);
  text += quote(row.opType) + quote(row.mineName);
  auto orNaN = [](const std::string &text) {
    return text.empty() ? "NaN" : text;
  };
  auto address = [](const std::optional<uint64_t> &address) {
    return "," + (address ? std::to_string(*address) : std::string("NaN"));
  };
  text += "," + orNaN(row.mineType) + address(row.mineAddress);
  text += quote(row.goldenName.empty() ? "*" : row.goldenName);
  text += "," + orNaN(row.goldenType);
  if (!(hasArrays && compat))
    text += address(row.goldenAddress);
  text += quote(row.opName + (row.isInput ? ":input:" : ":output:") +
                std::to_string(row.index));
  std::string shape;
  for (int64_t dim : compat ? row.mineShape : result.shape)
    shape += (shape.empty() ? "" : ",") + std::to_string(dim);
  text += quote("[" + shape + "]");
  if (options.overflowColumn)
    text += row.overflow ? (*row.overflow ? ",YES" : ",NO") : ",NaN";
  const auto metrics = toMetricCells(result, compat);
  for (size_t i = 0; i < metrics.size(); ++i)
    if (options.metrics[i])
      text += "," + metrics[i];
  text += quote(toReason(row, compat));
  if (!compat) {
    text += "," + std::string(getName(result.verdict));
    text += toOwnCells(row);
  }
  return text + "\n";
}
