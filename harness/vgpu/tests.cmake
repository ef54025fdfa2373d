# The virtual GPU's tests.

if(NOT LANEWISE_TESTS)
  return()
endif()

# What tests of the machine are written with: programs and snippets of PTX, tables of operands.
add_library(vgpu_testing STATIC machine/testing/executed_opcodes.cpp machine/testing/program.cpp machine/testing/snippet.cpp)
target_compile_options(vgpu_testing PRIVATE ${LANEWISE_FAST_CODE})
target_link_libraries(vgpu_testing PUBLIC vgpu_monitor GTest::gtest PRIVATE lanewise_compile_options INTERFACE vgpu_translator)

# Where each test leaves the names of the opcodes it executed, for the test that looks for those nobody did.
set(opcodes_folder "${CMAKE_CURRENT_BINARY_DIR}/executed_opcodes")
file(MAKE_DIRECTORY "${opcodes_folder}")

# vgpu_machine_test(NAME SOURCES ...): also linked into vgpu_portable_test, which runs once for each other instruction set.
function(vgpu_machine_test name)
  lanewise_test(${name} ${ARGN} LINKS vgpu_testing IN vgpu_opcode_tests)
  set_tests_properties(${name} PROPERTIES FIXTURES_SETUP executed_opcodes
                                          ENVIRONMENT "LANEWISE_TEST_OPCODES_FILE=${opcodes_folder}/${name}")
endfunction()

vgpu_machine_test(vgpu_arithmetic_test SOURCES machine/opcodes/arithmetic_test.cpp machine/opcodes/dispatch_test.cpp)
vgpu_machine_test(vgpu_float_test SOURCES machine/opcodes/float_arithmetic_test.cpp)
vgpu_machine_test(vgpu_half_test SOURCES machine/opcodes/half_arithmetic_test.cpp)
vgpu_machine_test(vgpu_narrow_types_test SOURCES machine/opcodes/half_compare_test.cpp machine/opcodes/half_convert_test.cpp
                                                 machine/opcodes/simd_arithmetic_test.cpp)
# The references set the rounding mode.
set_source_files_properties(
  machine/opcodes/atomics_test.cpp machine/opcodes/convert_test.cpp machine/opcodes/float_arithmetic_test.cpp
  machine/opcodes/half_arithmetic_test.cpp machine/opcodes/half_convert_test.cpp PROPERTIES COMPILE_OPTIONS -frounding-math)
vgpu_machine_test(vgpu_bits_test SOURCES machine/opcodes/bits_test.cpp machine/opcodes/compare_test.cpp)
vgpu_machine_test(vgpu_convert_test SOURCES machine/opcodes/convert_test.cpp)
vgpu_machine_test(vgpu_memory_test SOURCES machine/opcodes/memory_test.cpp)
vgpu_machine_test(vgpu_atomics_test SOURCES machine/opcodes/atomics_test.cpp)
vgpu_machine_test(vgpu_move_test SOURCES machine/opcodes/move_test.cpp)
vgpu_machine_test(vgpu_warp_sync_test SOURCES machine/opcodes/warp_sync_test.cpp machine/opcodes/barriers_test.cpp)
vgpu_machine_test(vgpu_control_test SOURCES machine/opcodes/async_copy_test.cpp machine/opcodes/cluster_test.cpp
                                            machine/opcodes/control_test.cpp machine/opcodes/tensor_copy_test.cpp)
vgpu_machine_test(vgpu_texture_test SOURCES machine/mipmap_test.cpp machine/opcodes/surface_test.cpp machine/opcodes/texture_test.cpp
                                            machine/texture_fetch_test.cpp)
vgpu_machine_test(vgpu_matrix_test SOURCES machine/opcodes/byte_float_convert_test.cpp machine/opcodes/matrix_test.cpp)
vgpu_machine_test(vgpu_translator_test SOURCES machine/translator/random_programs_test.cpp machine/translator/passage_test.cpp
                                               machine/translator/translation_test.cpp)
set_target_properties(vgpu_opcode_tests PROPERTIES UNITY_BUILD_BATCH_SIZE 5)  # the longest to compile

# Looks at what all of these have executed.
lanewise_test(vgpu_opcodes_completeness_test IN vgpu_machine_tests SOURCES machine/opcodes/completeness_test.cpp LINKS vgpu_machine)
set_tests_properties(vgpu_opcodes_completeness_test PROPERTIES FIXTURES_REQUIRED executed_opcodes
                     ENVIRONMENT "LANEWISE_TEST_OPCODES_FOLDER=${opcodes_folder}")

lanewise_test(vgpu_machine_test IN vgpu_machine_tests
  SOURCES machine/address_space_test.cpp machine/control_flow_test.cpp machine/device_printf_test.cpp
          machine/device_runtime_calls_test.cpp machine/divergence_test.cpp machine/endless_loop_test.cpp
          machine/known_bases_test.cpp
          machine/slots_test.cpp machine/symbol_names_test.cpp monitor/finding_test.cpp monitor/initcheck_test.cpp
          monitor/memcheck_test.cpp monitor/noted_reads_test.cpp monitor/peer_memory_test.cpp
  LINKS vgpu_testing)
lanewise_test(vgpu_device_math_test
  SOURCES machine/device_math_errors_test.cpp machine/device_math_test.cpp machine/testing/exact_math.cpp
          machine/testing/exact_math_test.cpp
  LINKS vgpu_testing lanewise_mpfr DEFINES VGPU_FIDELITY="${CMAKE_CURRENT_SOURCE_DIR}/FIDELITY.md" TIMEOUT 300)
lanewise_test(vgpu_counters_test IN vgpu_machine_tests
  SOURCES cost/instruction_cost_test.cpp cost/memory_traffic_test.cpp cost/time_model_test.cpp cost/register_estimate_test.cpp cost/spills_test.cpp cost/uniform_registers_test.cpp cost/warp_path_test.cpp monitor/access_shape_test.cpp monitor/counters_memory_test.cpp
          monitor/clock_waits_test.cpp monitor/counters_test.cpp monitor/host_words_test.cpp monitor/matrix_checks_test.cpp monitor/modelled_waits_test.cpp monitor/work_queues_test.cpp
  LINKS vgpu_testing vgpu_profile)
set(against_the_toolkit "")
if(LANEWISE_TOOLKIT)
  set(against_the_toolkit cost/occupancy_test.cpp)
endif()
lanewise_test(vgpu_limits_test IN vgpu_machine_tests
  SOURCES ${against_the_toolkit} cost/measured_profile_test.cpp cost/profile_test.cpp LINKS vgpu_testing vgpu_profile
  DEFINES VGPU_PROFILES="${CMAKE_CURRENT_SOURCE_DIR}/cost/profiles")
target_include_directories(vgpu_machine_tests SYSTEM PRIVATE ${LANEWISE_CUDA_INCLUDES})  # cuda_occupancy.h
lanewise_test(vgpu_happens_before_test IN vgpu_machine_tests
  SOURCES monitor/access_shadow_test.cpp monitor/happens_before_test.cpp
          monitor/reader_sets_test.cpp monitor/strong_writers_test.cpp monitor/value_origin_test.cpp
          monitor/warp_synchronous_test.cpp
  LINKS vgpu_monitor)
lanewise_test(vgpu_racecheck_test IN vgpu_machine_tests
  SOURCES monitor/racecheck_rows_test.cpp monitor/racecheck_test.cpp LINKS vgpu_testing)
