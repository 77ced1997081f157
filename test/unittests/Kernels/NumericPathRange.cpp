//===- NumericPathRange.cpp - Ways of Range -------------------------------===//

#include "NumericPath.h"

using namespace npu;
using namespace npu::kernels::statustable;

std::vector<PathRow> kernels::statustable::rangePaths() {
  return {{"Range",
           "product and sum",
           [](M &m, X x) {
             const double start = x[0][0], limit = x[1][0], delta = x[2][0];
             Values values;
             for (int i = 0; start + i * delta < limit; ++i)
               values.push_back(m.add(m.mul(i, delta), start));
             return values;
           },
           {half({0xC401}), half({0x3C00}), half({0x3D37})},
           Half,
           {{"fp32, one rounding",
             everywhere,
             {},
             {0xC401, 0xC166, 0xBD96, 0xADF0},
             0},
            {"fp16, every instruction",
             nowhere,
             {.half = true},
             {0xC401, 0xC166, 0xBD96, 0xAE00},
             0}}}};
}
