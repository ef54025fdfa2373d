# Programs that run on other machines than the one that builds them, and packages of them: scripts/package.sh.

# Every library but glibc goes inside.
if(LANEWISE_PORTABLE)
  set(CMAKE_FIND_LIBRARY_SUFFIXES .a .so)
  set(CMAKE_DISABLE_FIND_PACKAGE_fmt ON)  # Debian has it as a shared library or as headers
  add_library(lanewise_stand_ins STATIC cmake/arc4random.c cmake/no_xar.c)
  link_libraries(lanewise_stand_ins)
  add_link_options(-static-libstdc++ -static-libgcc -s)
  foreach(function IN ITEMS arc4random arc4random_buf archive_write_set_format_xar)  # before the libraries have their say
    add_link_options(-Wl,--undefined=${function})
  endforeach()
  # The one that does not say what it needs; only what reads and writes .zip and .tar.gz is linked.
  find_package(LibArchive 3.3 REQUIRED)
  foreach(library IN ITEMS nettle lzma bz2 zstd z)
    find_library(LANEWISE_STATIC_${library} ${library} REQUIRED)
    set_property(TARGET LibArchive::LibArchive APPEND PROPERTY INTERFACE_LINK_LIBRARIES "${LANEWISE_STATIC_${library}}")
  endforeach()
endif()

if(CMAKE_CROSSCOMPILING_EMULATOR)  # such programs filter no system calls: nobody may install them
  return()
endif()

# One tree, found from its own programs: harness/runner/installation.h.
set(libexec "${CMAKE_BINARY_DIR}/libexec")
install(PROGRAMS "${CMAKE_BINARY_DIR}/lanewise" DESTINATION bin)
install(PROGRAMS "${libexec}/lanewise-worker" "${libexec}/lanewise-device" "${libexec}/lanewise-launcher" "${libexec}/lanewise-sandbox-probe"
                 "${libexec}/lanewise-for-students" DESTINATION bin/libexec)
foreach(folder vgpu vgpu/program)
  install(PROGRAMS "${CMAKE_BINARY_DIR}/${folder}/libcudart.so.12" "${CMAKE_BINARY_DIR}/${folder}/libcudart.so.13" DESTINATION bin/${folder})
endforeach()
install(DIRECTORY "${CMAKE_BINARY_DIR}/vgpu/libraries" DESTINATION bin/vgpu USE_SOURCE_PERMISSIONS)
install(DIRECTORY "${CMAKE_BINARY_DIR}/toolchain" DESTINATION bin USE_SOURCE_PERMISSIONS)
install(DIRECTORY labs DESTINATION . FILES_MATCHING PATTERN "entry.cpp" PATTERN "*.cu" PATTERN "*.cuh" PATTERN "*.md"
        PATTERN "*.svg" PATTERN "*.toml" PATTERN "*.skeleton" PATTERN "Makefile")
file(GLOB lab_files CONFIGURE_DEPENDS labs/*/lab.toml)
foreach(lab_file IN LISTS lab_files)
  file(STRINGS "${lab_file}" oracle REGEX "^oracle = ")
  if(oracle)  # of a lab that needs no build
    string(REGEX REPLACE "^oracle = \"([^\"]*)\".*" "\\1" oracle "${oracle}")
    get_filename_component(folder "${lab_file}" DIRECTORY)
    get_filename_component(id "${folder}" NAME)
    install(FILES "${folder}/${oracle}" DESTINATION labs/${id})
  endif()
endforeach()
install(FILES datasets/README.md datasets/catalogue.toml datasets/random.h DESTINATION datasets)
install(DIRECTORY datasets/images datasets/matrices DESTINATION datasets)
install(FILES harness/worker/entry.h DESTINATION harness/worker)
install(DIRECTORY grader/release/for_students DESTINATION grader/release)  # for `lanewise release`
install(FILES LICENSE DESTINATION .)
install(FILES grader/README.md DESTINATION grader)
install(FILES grader/release/package_readme.md DESTINATION . RENAME README.md)

set(CPACK_GENERATOR DEB TGZ)
set(CPACK_PACKAGE_CONTACT "The Lanewise maintainers <maintainers@lanewise.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_FILE_NAME "lanewise-${PROJECT_VERSION}-${CMAKE_SYSTEM_PROCESSOR}")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
    "Students fill in CUDA kernels and get verdicts that explain themselves; instructors grade a class with the same
 program. It runs on an NVIDIA GPU, and without one on a virtual GPU. The CUDA Toolkit 12 or 13 or clang 19 is needed and not part of it.")
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6 (>= 2.35), g++")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "bubblewrap, clang-19, curl, make, similarity-tester")
set(CPACK_PROJECT_CONFIG_FILE "${CMAKE_CURRENT_LIST_DIR}/package_layout.cmake")
set(CPACK_PRE_BUILD_SCRIPTS "${CMAKE_CURRENT_LIST_DIR}/package_links.cmake")
include(CPack)
