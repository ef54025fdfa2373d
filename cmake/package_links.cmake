# What a .deb has besides the tree: CPack runs this before it packs.
if(CPACK_GENERATOR STREQUAL "DEB")
  set(usr "${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr")
  file(MAKE_DIRECTORY "${usr}/bin" "${usr}/share/doc/lanewise")
  file(CREATE_LINK ../lib/lanewise/bin/lanewise "${usr}/bin/lanewise" SYMBOLIC)
  file(CREATE_LINK ../../../lib/lanewise/LICENSE "${usr}/share/doc/lanewise/copyright" SYMBOLIC)
endif()
