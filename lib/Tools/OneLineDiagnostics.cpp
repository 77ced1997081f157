//===- OneLineDiagnostics.cpp - Diagnostics for a person ------------------===//

#include "OneLineDiagnostics.h"

#include "mlir/IR/Location.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

static StringRef getSeverityName(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Error:
    return "error";
  case DiagnosticSeverity::Warning:
    return "warning";
  case DiagnosticSeverity::Remark:
    return "remark";
  case DiagnosticSeverity::Note:
    return "note";
  }
  return "";
}

static void printLine(const Diagnostic &diagnostic) {
  if (auto loc = diagnostic.getLocation()->findInstanceOf<FileLineColLoc>())
    llvm::errs() << loc.getFilename().getValue() << ':' << loc.getLine() << ':'
                 << loc.getColumn() << ": ";
  llvm::errs() << getSeverityName(diagnostic.getSeverity()) << ": "
               << diagnostic << '\n';
}

npu::OneLineDiagnostics::OneLineDiagnostics(MLIRContext *context)
    : ScopedDiagnosticHandler(context, [](Diagnostic &diagnostic) {
        printLine(diagnostic);
        for (Diagnostic &note : diagnostic.getNotes())
          printLine(note);
      }) {
  context->printOpOnDiagnostic(false);
}
