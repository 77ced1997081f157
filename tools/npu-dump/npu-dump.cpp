//===- npu-dump.cpp - main of npu-dump -----------------------------------===//

#include "npu/Tools/Tools.h"

int main(int argc, char **argv) { return npu::npuDumpMain(argc, argv); }
