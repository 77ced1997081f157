//===- Contraction.cpp - Cutting contractions into tiles ------------------===//

#include "Contraction.h"

#include "ContractionTile.h"

#include <algorithm>
#include <atomic>
#include <mutex>

using namespace npu;
using namespace npu::kernels::cube;

void Contractor::cut(std::span<const Contraction> parts, int64_t threads) {
  // A few tiles for each thread keep all of them busy to the end; fewer panels
  // in a tile cost a second packing of its rows.
  const int64_t enoughTiles = threads == 1 ? 1 : 4 * threads;
  items.clear();
  int64_t panelsInTile = MaxTilePanels;
  for (; panelsInTile > 4; panelsInTile /= 2) {
    int64_t tiles = 0;
    for (const Contraction &part : parts)
      tiles += ceilDiv(part.left.numRows(), MaxTileRows) *
               ceilDiv(ceilDiv(part.columns, PanelWidth), panelsInTile);
    if (tiles >= enoughTiles)
      break;
  }
  for (int64_t index = 0; index < static_cast<int64_t>(parts.size()); ++index) {
    const int64_t rows = parts[index].left.numRows();
    const int64_t panels = ceilDiv(parts[index].columns, PanelWidth);
    // Tiles of about equal height: a low one widens its panels for few rows.
    // Adjacent rows are read 16 at once, from multiples of 16 on.
    const int64_t rowsInTile = parts[index].left.areRowsAdjacent
                                   ? MaxTileRows
                                   : ceilDiv(rows, ceilDiv(rows, MaxTileRows));
    for (int64_t panel = 0; panel < panels; panel += panelsInTile)
      for (int64_t row = 0; row < rows; row += rowsInTile)
        items.push_back({index,
                         {row, std::min(row + rowsInTile, rows), panel,
                          std::min(panel + panelsInTile, panels)}});
  }
}

ContractionEvents Contractor::run(ThreadPool &pool,
                                  std::span<const Contraction> parts,
                                  const ContractionTypes &types) {
  cut(parts, pool.numThreads());
  const int64_t count = static_cast<int64_t>(items.size());
  const int64_t workers = std::min<int64_t>(pool.numThreads(), count);
  if (static_cast<int64_t>(spaces.size()) < workers)
    spaces.resize(workers);

  // Tiles are independent: which worker computes one changes nothing.
  std::atomic<int64_t> next{0};
  ContractionEvents total;
  std::mutex mutex;
  pool.parallelFor(workers, 1, [&](int64_t worker, int64_t, int64_t) {
    std::byte *space = spaces[worker].get<std::byte>(tileSpaceBytes());
    ContractionEvents events;
    for (int64_t i; (i = next.fetch_add(1)) < count;)
      computeTile(parts[items[i].part], types, items[i].tile, space, events);
    std::lock_guard lock(mutex);
    total.status |= events.status;
    total.nonFiniteInput |= events.nonFiniteInput;
    total.nonFiniteSum |= events.nonFiniteSum;
  });
  return total;
}
