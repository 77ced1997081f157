//===- npu-translate.cpp - main of npu-translate
//---------------------------------===//

#include "npu/Tools/Tools.h"

int main(int argc, char **argv) { return npu::npuTranslateMain(argc, argv); }
