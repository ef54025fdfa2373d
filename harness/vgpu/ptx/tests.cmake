# Tests of the PTX front end and of loading, with real device code compiled by nvcc; and the fuzzers, which share that code.

set(real_code_folder "${CMAKE_BINARY_DIR}/vgpu/real_code")
if(LANEWISE_TOOLKIT AND (LANEWISE_TESTS OR LANEWISE_FUZZ))
  # The same program in four shapes, and what ptxas said of its kernels.
  set(real_code_arguments -std=c++17 -lineinfo -fatbin -gencode "arch=compute_90,code=[compute_90,sm_90]" -Xptxas -v)
  add_custom_command(
    OUTPUT "${real_code_folder}/plain.fatbin" "${real_code_folder}/compressed.fatbin" "${real_code_folder}/compressed_12.fatbin"
           "${real_code_folder}/code.ptx" "${real_code_folder}/ptxas.txt"
    COMMAND ${CMAKE_COMMAND} -E make_directory "${real_code_folder}"
    COMMAND ${CUDAToolkit_NVCC_EXECUTABLE} ${real_code_arguments} --compress-mode=none -o "${real_code_folder}/plain.fatbin"
            "${CMAKE_CURRENT_SOURCE_DIR}/ptx/real_code.cu" > "${real_code_folder}/ptxas.txt" 2>&1
    COMMAND ${CUDAToolkit_NVCC_EXECUTABLE} ${real_code_arguments} --compress-mode=size -o "${real_code_folder}/compressed.fatbin"
            "${CMAKE_CURRENT_SOURCE_DIR}/ptx/real_code.cu" > "${real_code_folder}/again.txt" 2>&1
    COMMAND ${CUDAToolkit_NVCC_EXECUTABLE} ${real_code_arguments} --compress-mode=speed -o "${real_code_folder}/compressed_12.fatbin"
            "${CMAKE_CURRENT_SOURCE_DIR}/ptx/real_code.cu" > "${real_code_folder}/again.txt" 2>&1
    COMMAND ${CUDAToolkit_NVCC_EXECUTABLE} -std=c++17 -lineinfo -ptx -arch=compute_90 -o "${real_code_folder}/code.ptx"
            "${CMAKE_CURRENT_SOURCE_DIR}/ptx/real_code.cu"
    DEPENDS ptx/real_code.cu
    COMMENT "Compiling the device code that tests of the PTX front end read"
    VERBATIM)
  add_custom_target(vgpu_real_code DEPENDS "${real_code_folder}/plain.fatbin")
endif()

add_subdirectory(fuzz)

if(NOT LANEWISE_TESTS OR NOT LANEWISE_TOOLKIT)
  return()
endif()

# vgpu_ptx_test(NAME SOURCES ... LINKS ...): a test that may read the real code
function(vgpu_ptx_test name)
  lanewise_test(${name} ${ARGN})
  target_compile_definitions(${name} PRIVATE VGPU_REAL_CODE="${real_code_folder}"
                                             VGPU_REAL_CODE_SOURCE="${CMAKE_CURRENT_SOURCE_DIR}/ptx/real_code.cu")
  add_dependencies(${name} vgpu_real_code)
endfunction()

vgpu_ptx_test(vgpu_ptx_test SOURCES ptx/lexer_test.cpp ptx/linker_test.cpp ptx/parser_test.cpp ptx/malformed_ptx_test.cpp ptx/real_ptx_test.cpp
                            LINKS vgpu_ptx)
vgpu_ptx_test(vgpu_fat_binary_test SOURCES ptx/fat_binary_test.cpp LINKS vgpu_ptx)
if(ZSTD_INCLUDE_DIR AND ZSTD_LIBRARY)
  target_compile_definitions(vgpu_fat_binary_test PRIVATE VGPU_HAVE_ZSTD)
  target_include_directories(vgpu_fat_binary_test SYSTEM PRIVATE ${ZSTD_INCLUDE_DIR})
endif()
vgpu_ptx_test(vgpu_machine_code_test SOURCES ptx/machine_code_test.cpp LINKS vgpu_machine)
vgpu_ptx_test(vgpu_hostile_input_test SOURCES fuzz/hostile_input_test.cpp fuzz/mutation_test.cpp
                                      LINKS vgpu_hostile_input vgpu_testing)
