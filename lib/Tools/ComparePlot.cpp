//===- ComparePlot.cpp - Differences of a comparison as a picture ---------===//

#include "ComparePlot.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cmath>

using namespace npu;
using llvm::format;
using llvm::StringRef;

static constexpr size_t maxGroups = 2048;

void ComparePlot::add(StringRef difference, StringRef nonFinite) {
  double value = 0;
  if (difference.getAsDouble(value) || !std::isfinite(value)) {
    ++numWithout;
    value = 0;
  }
  const uint64_t group = numTensors++ / groupSize;
  if (group == largest.size())
    largest.push_back(0);
  largest[group] = std::max(largest[group], value);
  if (value > 0) {
    smallestDifference =
        smallestDifference == 0 ? value : std::min(smallestDifference, value);
    largestDifference = std::max(largestDifference, value);
  }
  if (largest.size() == maxGroups && numTensors == maxGroups * groupSize) {
    for (size_t i = 0; i != maxGroups / 2; ++i)
      largest[i] = std::max(largest[2 * i], largest[2 * i + 1]);
    largest.resize(maxGroups / 2);
    groupSize *= 2;
  }

  llvm::SmallVector<StringRef> parts;
  nonFinite.split(parts, ", ");
  for (StringRef part : parts) {
    auto [digits, what] = part.split(' ');
    uint64_t count;
    if (digits.getAsInteger(10, count))
      continue; // "first nan (0,1)"
    (what == "nan"   ? nans
     : what == "inf" ? positiveInfs
                     : negativeInfs) += count;
  }
}

std::string ComparePlot::toSvg() const {
  constexpr double left = 80, top = 10, width = 900, height = 300;
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1000\" "
        "height=\"350\" font-family=\"sans-serif\" font-size=\"12\">\n";
  os << format("<path d=\"M%g %gV%gH%g\" fill=\"none\" stroke=\"black\"/>\n",
               left, top, top + height, left + width);
  os << format("<text x=\"%g\" y=\"%g\">tensors in the order of execution, ",
               left, top + height + 30)
     << numTensors << " of them</text>\n";
  if (largestDifference == 0) {
    os << format("<text x=\"%g\" y=\"%g\">all equal</text>\n", left + width / 2,
                 top + height / 2);
  } else {
    // From the smallest difference, a decade at least.
    const double low = std::floor(std::log10(smallestDifference));
    const double high =
        std::max(std::ceil(std::log10(largestDifference)), low + 1);
    const double scale = height / (high - low);
    const double step = std::max(std::ceil((high - low) / 10), 1.0);
    for (double decade = low; decade <= high; decade += step)
      os << format("<text x=\"%g\" y=\"%g\" text-anchor=\"end\">1e%g</text>\n",
                   left - 5, top + (high - decade) * scale + 4, decade);
    const double pitch = width / static_cast<double>(largest.size());
    for (size_t i = 0; i != largest.size(); ++i)
      if (largest[i] > 0)
        os << format("<path d=\"M%.1f %gV%.1f\" stroke=\"firebrick\" "
                     "stroke-width=\"%.2f\"/>\n",
                     left + (static_cast<double>(i) + 0.5) * pitch,
                     top + height,
                     top + (high - std::log10(largest[i])) * scale - 1,
                     std::clamp(pitch * 0.8, 0.5, 20.0));
  }
  os << "</svg>\n";
  return text;
}

static std::string escape(StringRef text) {
  std::string escaped;
  for (char c : text) {
    switch (c) {
    case '&':
      escaped += "&amp;";
      break;
    case '<':
      escaped += "&lt;";
      break;
    case '>':
      escaped += "&gt;";
      break;
    default:
      escaped += c;
    }
  }
  return escaped;
}

std::string ComparePlot::toHtml(StringRef summary, StringRef table) const {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\">"
        "<title>npu-dump compare</title></head>\n<body>\n<p>"
     << escape(summary)
     << "</p>\n<p>Largest absolute difference of each tensor:</p>\n"
     << toSvg() << "<p>not finite in mine: " << nans << " nan, " << positiveInfs
     << " inf, " << negativeInfs << " -inf; tensors without a difference that "
     << "is a number: " << numWithout << "</p>\n<pre>\n"
     << escape(table) << "</pre>\n</body></html>\n";
  return text;
}
