# The ways this project makes targets, so that warnings, sanitizers and test discovery are decided once.

add_library(lanewise_compile_options INTERFACE)
target_compile_options(lanewise_compile_options INTERFACE -Wall -Wextra -Wpedantic $<$<BOOL:${LANEWISE_WERROR}>:-Werror>)

# Files of one target are compiled several at a time: most of what a file takes is reading the same headers. So names in
# anonymous namespaces are unique within a target. -DCMAKE_UNITY_BUILD=OFF compiles each file by itself, for debugging.
set(CMAKE_UNITY_BUILD ON CACHE BOOL "Compile the files of a target together")
set(CMAKE_UNITY_BUILD_BATCH_SIZE 16 CACHE STRING "How many of them at a time")

# What most of the running time is spent in. The rest runs briefly, and compiles fastest of all at -Og (with sanitizers, by
# Clang, without optimisation).
set(LANEWISE_FAST_CODE $<$<CONFIG:Release>:-O3>$<$<CONFIG:RelWithDebInfo>:-O2>)

# For what takes enumerators from programs, after lanewise_compile_options: as in C, they can be any int.
add_library(lanewise_enums_of_c INTERFACE)
target_compile_options(lanewise_enums_of_c INTERFACE $<$<BOOL:${LANEWISE_SANITIZE}>:-fno-sanitize=enum>)

if(LANEWISE_SANITIZE)
  target_compile_options(lanewise_compile_options INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=undefined
                                                           -fno-omit-frame-pointer)
  target_link_options(lanewise_compile_options INTERFACE -fsanitize=address,undefined)
  target_compile_definitions(lanewise_compile_options INTERFACE LANEWISE_SANITIZED)
endif()

# lanewise_library(NAME SOURCES ... [LINKS ...])
function(lanewise_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC ${ARG_LINKS} PRIVATE lanewise_compile_options)
endfunction()

# lanewise_executable(NAME SOURCES ... [LINKS ...])
function(lanewise_executable name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LINKS} lanewise_compile_options)
endfunction()

# lanewise_filters_calls(NAME): the program NAME installs a filter of its system calls, which an emulator cannot.
function(lanewise_filters_calls name)
  if(CMAKE_CROSSCOMPILING_EMULATOR)
    target_sources(${name} PRIVATE "${PROJECT_SOURCE_DIR}/cmake/no_filters.c")
    target_link_options(${name} PRIVATE -Wl,--wrap=prctl,--wrap=syscall)
  endif()
endfunction()

# lanewise_test(NAME SOURCES ... [LINKS ...] [DEFINES ...] [NEEDS TARGET ...] [IN BINARY] [EXCEPT PATTERN] [TIMEOUT SECONDS]
# [SECOND_TIER] [HOLDS_CLOCK]): one CTest test of this name, which runs what GoogleTest finds in these files. They are a binary of
# the same name, or part of BINARY, which several tests share: headers are then compiled once for many files. So a file of tests in a
# shared binary is in a namespace named after its room, and what the test runs are the suites that its files define, except PATTERN.
# `make test` builds the target first_tier, and passes the second tier by. What holds a clock runs while nothing else does.
# Tests named in LANEWISE_TESTED_ELSEWHERE are left out, and so are binaries in which there are no others.
set(LANEWISE_TESTED_ELSEWHERE "" CACHE STRING "Tests that another build runs")
add_custom_target(first_tier)
function(lanewise_test name)
  if(NOT LANEWISE_TESTS)
    return()
  endif()
  cmake_parse_arguments(ARG "SECOND_TIER;HOLDS_CLOCK" "IN;EXCEPT;TIMEOUT" "SOURCES;LINKS;DEFINES;NEEDS" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  set(binary ${name})
  if(ARG_IN)
    set(binary ${ARG_IN})
  endif()
  if(NOT TARGET ${binary})
    add_executable(${binary})
    target_link_libraries(${binary} PRIVATE GTest::gtest GTest::gtest_main lanewise_compile_options)
    # No students' sources are made of these, for which CI keeps what it compiles.
    set_target_properties(${binary} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests" CXX_COMPILER_LAUNCHER ""
                                               EXCLUDE_FROM_ALL ON)
  endif()
  list(TRANSFORM ARG_SOURCES PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/" REGEX "^[^/]")
  target_sources(${binary} PRIVATE ${ARG_SOURCES})
  target_link_libraries(${binary} PRIVATE ${ARG_LINKS})
  target_compile_definitions(${binary} PRIVATE ${ARG_DEFINES})
  if(ARG_NEEDS)
    add_dependencies(${binary} ${ARG_NEEDS})
  endif()
  if(name IN_LIST LANEWISE_TESTED_ELSEWHERE)
    return()
  endif()
  set_target_properties(${binary} PROPERTIES EXCLUDE_FROM_ALL OFF)

  set(filter "")
  if(ARG_IN)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${ARG_SOURCES})
    foreach(source IN LISTS ARG_SOURCES)
      file(STRINGS "${source}" tests REGEX "^(TYPED_)?TEST(_F|_P)?\\(")
      foreach(test IN LISTS tests)
        string(REGEX REPLACE "^[^(]*\\(([A-Za-z0-9]+),.*" "\\1" suite "${test}")
        list(APPEND filter "${suite}.*" "*/${suite}.*" "${suite}/*")
      endforeach()
    endforeach()
    list(REMOVE_DUPLICATES filter)
    if(NOT filter)
      message(FATAL_ERROR "${name}: none of ${ARG_SOURCES} has a test")
    endif()
    list(JOIN filter ":" filter)
    set(filter "--gtest_filter=${filter}")
    if(ARG_EXCEPT)
      string(APPEND filter "-${ARG_EXCEPT}")
    endif()
  endif()
  add_test(NAME ${name} COMMAND ${binary} ${filter})
  set_tests_properties(${name} PROPERTIES TIMEOUT ${ARG_TIMEOUT} COST ${ARG_TIMEOUT} RUN_SERIAL ${ARG_HOLDS_CLOCK})  # the long ones first
  if(ARG_SECOND_TIER)
    set_tests_properties(${name} PROPERTIES LABELS second_tier)
  endif()
  if(NOT ARG_SECOND_TIER OR ARG_IN)
    add_dependencies(first_tier ${binary})
  endif()
endfunction()

# lanewise_command(NAME [SOURCES ...] [NEEDS LIBRARY ...] [FOR_STUDENTS]): `lanewise NAME`, in NAME.cpp and SOURCES, which defines
# add_NAME_command. It is left out where its file or a library is missing.
function(lanewise_command name)
  cmake_parse_arguments(ARG "FOR_STUDENTS" "" "SOURCES;NEEDS" ${ARGN})
  if(NOT EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/${name}.cpp")
    return()
  endif()
  foreach(library IN LISTS ARG_NEEDS)
    if(NOT TARGET ${library})
      return()
    endif()
  endforeach()
  set(programs lanewise)
  if(ARG_FOR_STUDENTS)
    list(APPEND programs lanewise-for-students)
  endif()
  foreach(program IN LISTS programs)
    target_sources(${program} PRIVATE ${name}.cpp ${ARG_SOURCES})
    target_link_libraries(${program} PRIVATE ${ARG_NEEDS})
    set_property(TARGET ${program} APPEND_STRING PROPERTY LANEWISE_COMMANDS "  add_${name}_command(app, exit_code);\n")
  endforeach()
endfunction()

# lanewise_list_commands(PROGRAM): writes its add_commands, once all of them are known.
function(lanewise_list_commands program)
  get_property(calls TARGET ${program} PROPERTY LANEWISE_COMMANDS)
  set(list "${CMAKE_BINARY_DIR}/generated/${program}_commands.cpp")
  file(CONFIGURE OUTPUT "${list}" @ONLY CONTENT [[
#include "grader/commands/commands.h"

void lanewise::add_commands(CLI::App& app, int& exit_code) {
@calls@}
]])
  target_sources(${program} PRIVATE "${list}")
endfunction()
