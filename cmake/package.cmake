# `make deb`: what `make install` installs, as a package of Debian that knows what it needs. It fits the Debian that it
# is made on, and later ones that have the same libraries.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "the apsp authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "All-pairs shortest paths on CPUs and GPUs")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "The program apsp, the library libapsp, and its headers for C and C++.")
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "the apsp authors <apsp@localhost>")
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON) # and ldconfig is called
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "python3, python3-matplotlib, python3-jinja2") # of --plot and --html
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "g++, pkg-config, libsuitesparse-dev") # to link with libapsp.a
set(CPACK_STRIP_FILES ON)
include(CPack)
