# The CMake package Npu: find_package(Npu), target_link_libraries(x Npu::...).

include(CMakePackageConfigHelpers)

# libMLIR.so is in no folder that the loader searches.
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)

set(NPU_INSTALL_CMAKEDIR ${CMAKE_INSTALL_LIBDIR}/cmake/Npu)

install(DIRECTORY ${NPU_SOURCE_DIR}/include/npu
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h" PATTERN "*.td")
if(NPU_ENABLE_MLIR)
  install(DIRECTORY ${NPU_BINARY_DIR}/include/npu
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
    FILES_MATCHING PATTERN "*.inc" PATTERN CMakeFiles EXCLUDE)
endif()

install(EXPORT NpuTargets NAMESPACE Npu:: DESTINATION ${NPU_INSTALL_CMAKEDIR})
configure_package_config_file(
  ${NPU_SOURCE_DIR}/utils/cmake/NpuConfig.cmake.in
  ${NPU_BINARY_DIR}/cmake/NpuConfig.cmake
  INSTALL_DESTINATION ${NPU_INSTALL_CMAKEDIR}
  NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(
  ${NPU_BINARY_DIR}/cmake/NpuConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${NPU_BINARY_DIR}/cmake/NpuConfig.cmake
  ${NPU_BINARY_DIR}/cmake/NpuConfigVersion.cmake
  DESTINATION ${NPU_INSTALL_CMAKEDIR})
