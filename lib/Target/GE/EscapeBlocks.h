//===- EscapeBlocks.h - Blocks of a literal in vectors ---------*- C++ -*-===//

#ifndef NPU_LIB_TARGET_GE_ESCAPEBLOCKS_H
#define NPU_LIB_TARGET_GE_ESCAPEBLOCKS_H

namespace npu::ge {

constexpr int EscapeBlockSize = 64;

/// Decodes characters of a literal from \p text on, where no escape is open, in
/// blocks. Ends before the first block that has the unescaped \p quote or an
/// escape other than those that protobuf writes (\n \r \t \" \' \\ and three
/// octal digits), and where \p end is near. Moves \p text and \p out, where as
/// much room is as before \p end, behind what is done.
void decodeEscapeBlocks(const char *&text, const char *end, char quote,
                        char *&out);

} // namespace npu::ge

#endif // NPU_LIB_TARGET_GE_ESCAPEBLOCKS_H
