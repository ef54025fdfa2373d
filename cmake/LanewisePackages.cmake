# Everything Lanewise takes from outside: Debian packages and the CUDA Toolkit, by name.

# Without the toolkit, clang compiles submissions, with headers of our own: so are the virtual GPU's runtime and the worker.
find_package(CUDAToolkit 13.0 QUIET)
set(LANEWISE_TOOLKIT ${CUDAToolkit_FOUND})
set(LANEWISE_CUDA_INCLUDES ${CUDAToolkit_INCLUDE_DIRS})
if(NOT LANEWISE_TOOLKIT)
  message(STATUS "The CUDA Toolkit 13 was not found: left out are the roofs of GPUs, make speed, and the tests that nvcc compiles")
  set(LANEWISE_CUDA_INCLUDES "${PROJECT_SOURCE_DIR}/harness/toolchain/cuda/include")
endif()

find_package(Threads REQUIRED)
if(LANEWISE_TESTS)
  find_package(GTest REQUIRED)
endif()

# lanewise_header_package(NAME HEADER DEBIAN_PACKAGE): an interface library for a header-only package
function(lanewise_header_package name header package)
  find_path(${name}_INCLUDE_DIR ${header} PATH_SUFFIXES stb HINTS ${LANEWISE_HEADERS})
  if(NOT ${name}_INCLUDE_DIR)
    message(FATAL_ERROR "${header} was not found: install ${package} (Debian), or name the folder that holds it with -DLANEWISE_HEADERS=DIR")
  endif()
  add_library(${name} INTERFACE)
  target_include_directories(${name} SYSTEM INTERFACE "${${name}_INCLUDE_DIR}")
endfunction()

set(LANEWISE_HEADERS "" CACHE PATH "Folder with header-only packages, for machines without Debian's")
lanewise_header_package(lanewise_json nlohmann/json.hpp nlohmann-json3-dev)
lanewise_header_package(lanewise_toml toml++/toml.h libtomlplusplus-dev)
lanewise_header_package(lanewise_cli11 CLI/CLI.hpp libcli11-dev)
lanewise_header_package(lanewise_fmt fmt/format.h libfmt-dev)
# Compiled from its headers alone, it is half of what many files take to compile.
find_package(fmt QUIET)
if(fmt_FOUND)
  target_link_libraries(lanewise_fmt INTERFACE fmt::fmt)
else()
  target_compile_definitions(lanewise_fmt INTERFACE FMT_HEADER_ONLY=1)
endif()
lanewise_header_package(lanewise_stb stb_image.h libstb-dev)

# The virtual GPU translates hot code with it, on x86-64.
if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  find_package(asmjit REQUIRED)
endif()

# What the virtual GPU's mathematical functions are tested against.
if(LANEWISE_TESTS)
  lanewise_header_package(lanewise_mpfr mpfr.h libmpfr-dev)
  find_library(MPFR_LIBRARY mpfr)
  if(NOT MPFR_LIBRARY)
    message(FATAL_ERROR "libmpfr was not found: install libmpfr-dev (Debian)")
  endif()
  target_link_libraries(lanewise_mpfr INTERFACE "${MPFR_LIBRARY}")
endif()

# Fat binaries are usually compressed; without libzstd such programs are refused with a sentence that says so.
find_path(ZSTD_INCLUDE_DIR zstd.h HINTS ${LANEWISE_HEADERS})
find_library(ZSTD_LIBRARY zstd)
