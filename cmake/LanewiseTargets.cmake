# The ways this project makes targets, so that warnings, sanitizers and test discovery are decided once.

add_library(lanewise_compile_options INTERFACE)
target_compile_options(lanewise_compile_options INTERFACE -Wall -Wextra -Wpedantic $<$<BOOL:${LANEWISE_WERROR}>:-Werror>)

# What is built once, runs briefly and waits for others most of that time compiles in two thirds of the time like this.
set(LANEWISE_QUICKLY_COMPILED $<$<CONFIG:Release>:-O1>)

if(LANEWISE_SANITIZE)
  target_compile_options(lanewise_compile_options INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=undefined
                                                           -fno-omit-frame-pointer)
  target_link_options(lanewise_compile_options INTERFACE -fsanitize=address,undefined)
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

# lanewise_test(NAME SOURCES ... [LINKS ...] [TIMEOUT SECONDS]): a GoogleTest binary, registered as one CTest test named after it
function(lanewise_test name)
  if(NOT LANEWISE_TESTS)
    return()
  endif()
  cmake_parse_arguments(ARG "" "TIMEOUT" "SOURCES;LINKS" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LINKS} GTest::gtest GTest::gtest_main lanewise_compile_options)
  target_compile_options(${name} PRIVATE ${LANEWISE_QUICKLY_COMPILED})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests")
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES TIMEOUT ${ARG_TIMEOUT})
endfunction()
