//===- Contraction.cpp - Cutting contractions into tiles ------------------===//

#include "Contraction.h"

#include "ContractionTile.h"

#include <algorithm>
#include <mutex>

using namespace npu;
using namespace npu::kernels::cube;

void npu::kernels::cube::forEachWrittenRange(
    const Contraction &part, const Tile &tile,
    const std::function<void(int64_t begin, int64_t end)> &visit) {
  const Destination &out = part.out;
  const LeftOperand &grid = part.left;
  // Neighbouring panels are one stretch of each row.
  const int64_t panelsAtOnce =
      out.panelPitch == PanelWidth ? tile.panelEnd - tile.panelBegin : 1;
  for (int64_t panel = tile.panelBegin; panel < tile.panelEnd;
       panel += panelsAtOnce) {
    const int64_t panelEnd = (panel + panelsAtOnce) * PanelWidth;
    const int64_t length =
        (out.padColumns ? panelEnd : std::min(panelEnd, part.columns)) -
        panel * PanelWidth;
    int64_t begin = 0, end = 0;
    const auto add = [&](int64_t at, int64_t count) {
      if (at != end) {
        if (begin != end)
          visit(begin, end);
        begin = at;
      }
      end = at + count;
    };
    for (int64_t row = tile.rowBegin, lineEnd; row < tile.rowEnd;
         row = lineEnd) {
      const int64_t line = row / grid.width;
      lineEnd = std::min((line + 1) * grid.width, tile.rowEnd);
      int64_t at = panel * out.panelPitch +
                   line / grid.height * out.imagePitch +
                   line % grid.height * out.linePitch +
                   row % grid.width * out.pixelPitch;
      if (out.pixelPitch == length)
        add(at, (lineEnd - row) * length);
      else
        for (int64_t i = row; i < lineEnd; ++i, at += out.pixelPitch)
          add(at, length);
    }
    visit(begin, end);
  }
}

void Contractor::cut(std::span<const Contraction> parts,
                     const ThreadPool &pool) {
  // Two tiles for each thread let the others help one that is slower, four one
  // that begins late because it writes a dump. Another tile in the same
  // rows packs them once more, one in the same columns widens their panels once
  // more, which is cheaper; and panels that threads read at about the same time
  // come from memory once.
  const int64_t threads = pool.numThreads();
  const int64_t enoughTiles =
      threads == 1 ? 1 : (pool.isDoingIdleWork() ? 4 : 2) * threads;
  // Tiles are of about equal height, and as many for each thread. Adjacent rows
  // are read 16 at once, from multiples of 16 on.
  constexpr int64_t minTileRows = MaxTileRows / 4;
  rowCuts.clear();
  for (const Contraction &part : parts) {
    const int64_t rows = part.left.numRows(), most = rows / minTileRows;
    int64_t tiles = ceilDiv(rows, MaxTileRows), shares = 1;
    if (2 * rows >= part.columns) {
      tiles = std::max(tiles, std::min(enoughTiles, most));
      shares = tiles >= threads ? threads : 1;
      const int64_t asMany = ceilDiv(tiles, shares) * shares;
      tiles = asMany <= most ? asMany : tiles / shares * shares;
    }
    rowCuts.push_back(
        {part.left.areRowsAdjacent ? MaxTileRows : ceilDiv(rows, tiles),
         shares});
  }
  int64_t panelsInTile = MaxTilePanels;
  for (; panelsInTile > 4; panelsInTile /= 2) {
    int64_t tiles = 0;
    for (size_t i = 0; i < parts.size(); ++i)
      tiles += ceilDiv(parts[i].left.numRows(), rowCuts[i].rowsInTile) *
               ceilDiv(ceilDiv(parts[i].columns, PanelWidth), panelsInTile);
    if (tiles >= enoughTiles)
      break;
  }
  items.clear();
  for (size_t i = 0; i < parts.size(); ++i) {
    const int64_t rows = parts[i].left.numRows();
    const int64_t panels = ceilDiv(parts[i].columns, PanelWidth);
    const auto [rowsInTile, shares] = rowCuts[i];
    const int64_t tiles = ceilDiv(rows, rowsInTile);
    for (int64_t share = 0; share < shares; ++share) {
      const int64_t begin = tiles * share / shares * rowsInTile;
      const int64_t end =
          std::min(tiles * (share + 1) / shares * rowsInTile, rows);
      for (int64_t panel = 0; panel < panels; panel += panelsInTile)
        for (int64_t row = begin; row < end; row += rowsInTile)
          items.push_back({static_cast<int64_t>(i),
                           {row, std::min(row + rowsInTile, rows), panel,
                            std::min(panel + panelsInTile, panels)}});
    }
  }
}

ContractionEvents Contractor::run(ThreadPool &pool,
                                  std::span<const Contraction> parts,
                                  const ContractionTypes &types,
                                  const TileFinished &finished) {
  cut(parts, pool);
  // Tiles are independent: which thread computes one changes nothing.
  ContractionEvents total;
  std::mutex mutex;
  pool.parallelFor(
      static_cast<int64_t>(items.size()), 1, [&](int64_t i, int64_t, int64_t) {
        const Contraction &part = parts[items[i].part];
        ContractionEvents events;
        {
          const Workspaces<AlignedBuffer>::Handle space(spaces);
          computeTile(part, types, items[i].tile,
                      space->get<std::byte>(tileSpaceBytes()), events);
        }
        if (finished)
          finished(part, items[i].tile);
        std::lock_guard lock(mutex);
        total.status |= events.status;
        total.nonFiniteInput |= events.nonFiniteInput;
        total.nonFiniteSum |= events.nonFiniteSum;
      });
  return total;
}
