# `make install`, or `cmake --install BUILD --prefix PREFIX`: the library, its headers, its CMake package and apsp.pc; the
# program, its scripts, its manual page and its completion. Nothing is compiled, because root's environment may lack nvcc.
set(CMAKE_INSTALL_LIBDIR lib CACHE STRING "where libraries are installed, below the prefix")
set(lib ${CMAKE_INSTALL_LIBDIR})
install(TARGETS libapsp libapsp_static LIBRARY DESTINATION ${lib} ARCHIVE DESTINATION ${lib})
install(FILES include/apsp/apsp.h include/apsp/apsp.hpp DESTINATION include/apsp)
install(FILES docs/library.md DESTINATION share/doc/apsp)
install(FILES LICENSE DESTINATION share/doc/apsp RENAME copyright)
install(DIRECTORY examples DESTINATION share/doc/apsp)

# What a program that is linked with libapsp.a needs besides.
set(private_libs -ldl -lpthread -fopenmp -lstdc++ -lm)
if(TARGET apsp_amd)
  list(PREPEND private_libs -lamd)
endif()
if(APSP_CUDA)
  list(PREPEND private_libs -L${CUDAToolkit_LIBRARY_DIR} -lcudart_static -lrt)
endif()
if(APSP_SANITIZE)
  list(APPEND private_libs -fsanitize=${APSP_SANITIZE})
endif()
list(JOIN private_libs " " private_libs)
file(RELATIVE_PATH to_prefix /${lib}/pkgconfig /)
foreach(file apsp.pc apspConfig.cmake)
  configure_file(cmake/${file}.in installed/${file} @ONLY)
endforeach()
include(CMakePackageConfigHelpers)
# Before 1.0, versions fit together if their first two numbers are the same.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/installed/apspConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/installed/apsp.pc DESTINATION ${lib}/pkgconfig)
install(FILES ${PROJECT_BINARY_DIR}/installed/apspConfig.cmake ${PROJECT_BINARY_DIR}/installed/apspConfigVersion.cmake
  DESTINATION ${lib}/cmake/apsp)

if(TARGET apsp)
  install(TARGETS apsp DESTINATION bin)
  foreach(script csv_files packages page plot to_json)
    install(FILES scripts/${script}.py DESTINATION share/apsp/scripts)
  endforeach()
  install(DIRECTORY scripts/page DESTINATION share/apsp/scripts FILES_MATCHING PATTERN "*.*" PATTERN __pycache__ EXCLUDE)
  install(DIRECTORY DESTINATION share/man/man1)
  install(DIRECTORY DESTINATION share/bash-completion/completions)
  install(CODE [[
    set(to "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}")
    execute_process(COMMAND "${to}/bin/apsp" man OUTPUT_FILE "${to}/share/man/man1/apsp.1" COMMAND_ERROR_IS_FATAL ANY)
    execute_process(COMMAND "${to}/bin/apsp" completion OUTPUT_FILE "${to}/share/bash-completion/completions/apsp"
      COMMAND_ERROR_IS_FATAL ANY)
  ]])
endif()
