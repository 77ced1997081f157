#include "npu/Dump/DumpFile.h"
