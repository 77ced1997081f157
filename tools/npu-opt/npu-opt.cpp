//===- npu-opt.cpp - main of npu-opt ---------------------------------===//

#include "npu/Tools/Tools.h"

int main(int argc, char **argv) { return npu::npuOptMain(argc, argv); }
