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

# lanewise_test(NAME SOURCES ... [LINKS ...] [TIMEOUT SECONDS] [SECOND_TIER] [HOLDS_CLOCK]): a GoogleTest binary, registered as
# one CTest test named after it. `make test` builds the target first_tier, and passes the second tier by. What holds a clock runs
# while nothing else does.
add_custom_target(first_tier)
function(lanewise_test name)
  if(NOT LANEWISE_TESTS)
    return()
  endif()
  cmake_parse_arguments(ARG "SECOND_TIER;HOLDS_CLOCK" "TIMEOUT" "SOURCES;LINKS" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LINKS} GTest::gtest GTest::gtest_main lanewise_compile_options)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests")
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES TIMEOUT ${ARG_TIMEOUT} COST ${ARG_TIMEOUT} RUN_SERIAL ${ARG_HOLDS_CLOCK})  # the long ones first
  if(ARG_SECOND_TIER)
    set_tests_properties(${name} PROPERTIES LABELS second_tier)
  else()
    add_dependencies(first_tier ${name})
  endif()
endfunction()
