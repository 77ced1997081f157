//===- DenseImage.cpp - Images of few channels without gaps ---------------===//

#include "DenseImage.h"

#include <algorithm>
#include <cassert>

using namespace npu;
using namespace npu::kernels::cube;

namespace {

/// Copies \p width pixels of \p Count channels.
template <int Count, class T>
void copyPixels(const T *from, int64_t pixelPitch, const int64_t *channels,
                int64_t width, T *to) {
  for (int64_t w = 0; w < width; ++w, from += pixelPitch, to += Count)
    for (int c = 0; c < Count; ++c)
      to[c] = from[channels[c]];
}

template <class T>
void copyLine(const DenseImage &image, const T *from, T *to) {
  const auto count = static_cast<int64_t>(image.channels.size());
  T *const pixels = std::fill_n(to, image.before * count, T());
  constexpr decltype(&copyPixels<1, T>) functions[DenseImage::MaxChannels] = {
      copyPixels<1, T>, copyPixels<2, T>, copyPixels<3, T>, copyPixels<4, T>};
  functions[count - 1](from, image.pixelPitch, image.channels.data(),
                       image.width, pixels);
  std::fill(pixels + image.width * count, to + image.lineElements(), T());
}

} // namespace

void DenseImage::copy(ThreadPool &pool, const std::byte *from, std::byte *to,
                      int64_t elementSize) const {
  const auto copyAs = [&]<class T>(T) {
    pool.parallelFor(
        images * height, 8, [&](int64_t begin, int64_t end, int64_t) {
          for (int64_t line = begin; line < end; ++line)
            copyLine(*this,
                     reinterpret_cast<const T *>(from) +
                         line / height * imagePitch + line % height * linePitch,
                     reinterpret_cast<T *>(to) + line * lineElements());
        });
  };
  if (elementSize == 2)
    copyAs(uint16_t());
  else
    copyAs(uint32_t());
}
