//===- consumer.cpp - The passes in a program of others -------------------===//
//
//   consumer FILE LAYER
//
// Reads MLIR, asks for dumps of LAYER in graphs and functions, prints the
// result.
//
//===----------------------------------------------------------------------===//

#include "npu/InitAllDialects.h"
#include "npu/InitAllExternalModels.h"
#include "npu/InitAllPasses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/raw_ostream.h"

int main(int argc, char **argv) {
  if (argc != 3) {
    llvm::errs() << "usage: consumer FILE LAYER\n";
    return 1;
  }

  mlir::DialectRegistry registry;
  npu::registerAllDialects(registry);
  npu::registerExternalModels(registry);
  registry.insert<mlir::func::FuncDialect, mlir::arith::ArithDialect>();
  mlir::MLIRContext context(registry);
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::parseSourceFile<mlir::ModuleOp>(argv[1], &context);
  if (!module)
    return 1;

  npu::InsertDumpOptions options;
  options.layer = argv[2];
  options.mode = npu::DumpMode::All;
  mlir::PassManager passes(&context);
  passes.addNestedPass<npu::ge::GraphOp>(npu::createInsertDump(options));
  passes.addNestedPass<mlir::func::FuncOp>(npu::createInsertDump(options));
  if (failed(passes.run(*module)))
    return 1;
  module->print(llvm::outs());
  return 0;
}
