//===- npu-lsp-server.cpp - main of npu-lsp-server ------------------------===//

#include "npu/Tools/Tools.h"

int main(int argc, char **argv) { return npu::npuLspServerMain(argc, argv); }
