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

# npu_add_static_library(NpuFoo a.cpp b.cpp [LINK_LIBS Npu::Bar ...]
#                        [PRIVATE_LIBS ...])
# A static library, exported as Npu::NpuFoo.
function(npu_add_static_library name)
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

# add_npu_library(...): code that includes no MLIR headers.
function(add_npu_library name)
  npu_add_static_library(${name} ${ARGN})
  npu_precompile(${name} NpuStandardHeaders ${NPU_STANDARD_HEADERS})
endfunction()

# add_npu_mlir_library(...): code that does.
function(add_npu_mlir_library name)
  npu_add_static_library(${name} ${ARGN})
  target_link_libraries(${name} PUBLIC MLIR LLVM)
  npu_use_mlir_pch(${name})
endfunction()

# npu_precompile(target NpuFooHeaders <header>... [OPTIONS option...]
#                [LINK_LIBS library...])
# Compiles the headers once for all targets that name the same NpuFooHeaders.
function(npu_precompile target holder)
  cmake_parse_arguments(ARG "" "" "OPTIONS;LINK_LIBS" ${ARGN})
  if(NOT NPU_ENABLE_PCH)
    return()
  endif()
  if(NOT TARGET ${holder})
    file(WRITE ${NPU_BINARY_DIR}/pch/empty.cpp "")
    add_library(${holder} OBJECT ${NPU_BINARY_DIR}/pch/empty.cpp)
    npu_target_options(${holder})
    target_compile_options(${holder} PRIVATE ${ARG_OPTIONS})
    target_link_libraries(${holder} PRIVATE ${ARG_LINK_LIBS})
    target_precompile_headers(${holder} PRIVATE ${ARG_UNPARSED_ARGUMENTS})
  endif()
  target_precompile_headers(${target} REUSE_FROM ${holder})
endfunction()

set(NPU_STANDARD_HEADERS
  <algorithm> <array> <atomic> <cmath> <cstring> <functional> <limits> <map>
  <memory> <mutex> <optional> <random> <span> <string> <unordered_map> <vector>)

# Most of the time to compile a file that includes MLIR goes into its headers.
function(npu_use_mlir_pch target)
  npu_precompile(${target} NpuMLIRHeaders
    <mlir/IR/BuiltinOps.h> <mlir/IR/BuiltinTypes.h>
    <mlir/IR/BuiltinAttributes.h> <mlir/IR/OpDefinition.h>
    <mlir/IR/OpImplementation.h> <mlir/IR/DialectImplementation.h>
    <mlir/IR/PatternMatch.h> <mlir/IR/Builders.h> <mlir/Pass/Pass.h>
    <mlir/Bytecode/BytecodeOpInterface.h>
    <llvm/ADT/TypeSwitch.h> <llvm/ADT/StringExtras.h>)
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
# lit runs (test/Unit) and check-npu builds. To optimize tests more takes longer
# than they do.
function(add_npu_unittest name)
  cmake_parse_arguments(ARG "" "" "LINK_LIBS" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  npu_target_options(${name})
  target_link_libraries(${name} PRIVATE ${ARG_LINK_LIBS} GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE
    NPU_TEST_INPUTS="${NPU_SOURCE_DIR}/test")
  set(options -fPIE)
  if(CMAKE_BUILD_TYPE STREQUAL Release)
    list(APPEND options -O1)
  endif()
  target_compile_options(${name} PRIVATE ${options})
  npu_precompile(${name} NpuTestHeaders
    <gtest/gtest.h> ${NPU_STANDARD_HEADERS}
    OPTIONS ${options} LINK_LIBS GTest::gtest)
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${NPU_BINARY_DIR}/unittests)
  set_property(GLOBAL APPEND PROPERTY NPU_TEST_DEPENDS ${name})
endfunction()
