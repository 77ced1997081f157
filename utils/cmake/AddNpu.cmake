# Wrappers around CMake's own commands. MLIR's add_mlir_library would install
# into MLIR's export set and link its static component libraries, of which a
# process that also loads libMLIR.so must have none.

include_guard()

# Flags of every target of this project.
function(npu_target_options target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_compile_options(${target} PRIVATE
    -fno-exceptions -ffp-contract=off -fvisibility-inlines-hidden
    -Wall -Wextra -Wno-unused-parameter -Werror=return-type -Wno-psabi)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
endfunction()

# add_npu_library(NpuFoo a.cpp b.cpp [LINK_LIBS Npu::Bar ...] [PRIVATE_LIBS ...])
# A static library, exported as Npu::NpuFoo.
function(add_npu_library name)
  cmake_parse_arguments(ARG "" "" "LINK_LIBS;PRIVATE_LIBS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  add_library(Npu::${name} ALIAS ${name})
  npu_target_options(${name})
  target_include_directories(${name} PUBLIC
    $<BUILD_INTERFACE:${NPU_SOURCE_DIR}/include>
    $<BUILD_INTERFACE:${NPU_BINARY_DIR}/include>
    $<INSTALL_INTERFACE:include>)
  target_link_libraries(${name} PUBLIC ${ARG_LINK_LIBS})
  # A static library hands its private dependencies to whoever links it, but
  # not their include directories.
  target_link_libraries(${name} PRIVATE ${ARG_PRIVATE_LIBS})
  install(TARGETS ${name} EXPORT NpuTargets)
endfunction()

# add_npu_mlir_library(...): the same for code that includes MLIR headers.
function(add_npu_mlir_library name)
  add_npu_library(${name} ${ARGN})
  target_link_libraries(${name} PUBLIC MLIR LLVM)
  npu_use_mlir_pch(${name})
endfunction()

# Most of the time to compile a file that includes MLIR goes into its headers.
function(npu_use_mlir_pch target)
  if(NOT NPU_ENABLE_PCH)
    return()
  endif()
  if(NOT TARGET NpuMLIRHeaders)
    file(WRITE ${NPU_BINARY_DIR}/pch/empty.cpp "")
    add_library(NpuMLIRHeaders OBJECT ${NPU_BINARY_DIR}/pch/empty.cpp)
    npu_target_options(NpuMLIRHeaders)
    target_precompile_headers(NpuMLIRHeaders PRIVATE
      <mlir/IR/BuiltinOps.h> <mlir/IR/BuiltinTypes.h>
      <mlir/IR/BuiltinAttributes.h> <mlir/IR/OpDefinition.h>
      <mlir/IR/OpImplementation.h> <mlir/IR/DialectImplementation.h>
      <mlir/IR/PatternMatch.h> <mlir/IR/Builders.h> <mlir/Pass/Pass.h>
      <mlir/Bytecode/BytecodeOpInterface.h>
      <llvm/ADT/TypeSwitch.h> <llvm/ADT/StringExtras.h>)
  endif()
  target_precompile_headers(${target} REUSE_FROM NpuMLIRHeaders)
endfunction()

# add_npu_tool(npu-foo main.cpp LINK_LIBS ...)
function(add_npu_tool name)
  cmake_parse_arguments(ARG "" "" "LINK_LIBS" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  npu_target_options(${name})
  target_link_libraries(${name} PRIVATE ${ARG_LINK_LIBS})
  # Highway's library takes milliseconds to load; not all tools call it.
  target_link_options(${name} PRIVATE LINKER:--as-needed)
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${NPU_BINARY_DIR}/bin)
  install(TARGETS ${name} EXPORT NpuTargets)
endfunction()

# add_npu_unittest(NpuFooTests a.cpp LINK_LIBS ...): a GoogleTest binary that
# lit runs (test/Unit) and check-npu builds.
function(add_npu_unittest name)
  cmake_parse_arguments(ARG "" "" "LINK_LIBS" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  npu_target_options(${name})
  target_link_libraries(${name} PRIVATE ${ARG_LINK_LIBS} GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE
    NPU_TEST_INPUTS="${NPU_SOURCE_DIR}/test")
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${NPU_BINARY_DIR}/unittests)
  set_property(GLOBAL APPEND PROPERTY NPU_TEST_DEPENDS ${name})
endfunction()
