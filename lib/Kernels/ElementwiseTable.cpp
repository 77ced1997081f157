//===- ElementwiseTable.cpp - Tables of element-wise functions ------------===//

#include "ElementwiseTable.h"

#include <map>
#include <mutex>

using namespace npu;
using namespace npu::kernels;

std::shared_ptr<const HalfTable>
kernels::getHalfTable(const HalfFunctionKey &key,
                      const HalfTable::Function &function) {
  static std::mutex mutex;
  static std::map<HalfFunctionKey, std::weak_ptr<const HalfTable>> tables;
  std::lock_guard lock(mutex);
  std::weak_ptr<const HalfTable> &known = tables[key];
  std::shared_ptr<const HalfTable> table = known.lock();
  if (!table)
    known = table = std::make_shared<const HalfTable>(function);
  return table;
}
