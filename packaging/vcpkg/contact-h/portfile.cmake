# An overlay port: it takes the sources that it lies in, an unpacked release or a clone.
#   vcpkg install contact-h --overlay-ports=FOLDER/packaging/vcpkg
# stb_ds.h comes from the port stb. After a change of the sources: --no-binarycaching, for vcpkg looks at this folder only.
get_filename_component(SOURCE_PATH "${CURRENT_PORT_DIR}/../../.." ABSOLUTE)
set(VCPKG_BUILD_TYPE release) # nothing is compiled

vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}")
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH share/cmake/contact PACKAGE_NAME contact)
vcpkg_fixup_pkgconfig()
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
