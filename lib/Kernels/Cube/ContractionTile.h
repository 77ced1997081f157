//===- ContractionTile.h - One tile of a contraction -----------*- C++ -*-===//

#ifndef NPU_LIB_KERNELS_CUBE_CONTRACTIONTILE_H
#define NPU_LIB_KERNELS_CUBE_CONTRACTIONTILE_H

#include "Contraction.h"

namespace npu::kernels::cube {

/// The largest tile. Its accumulators, 4 bytes each, and a depth block of the
/// right operand for its panels fit into a second-level cache together.
constexpr int64_t MaxTileRows = 112;
constexpr int64_t MaxTilePanels = 16;

/// Bytes of work space that computeTile needs.
size_t tileSpaceBytes();

/// Computes \p tile of \p part in \p space, with the best instruction set,
/// and adds what it saw to \p events.
void computeTile(const Contraction &part, const ContractionTypes &types,
                 const Tile &tile, std::byte *space, ContractionEvents &events);

} // namespace npu::kernels::cube

#endif // NPU_LIB_KERNELS_CUBE_CONTRACTIONTILE_H
