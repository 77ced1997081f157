//===- npu-run.cpp - main of npu-run -----------------------------------===//

#include "npu/Tools/Tools.h"

int main(int argc, char **argv) { return npu::npuRunMain(argc, argv); }
