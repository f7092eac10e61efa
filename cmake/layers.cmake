# How the files of a layer are compiled: what they see, how much they are optimised, and which of them together.

# apsp_optimise(TARGET more|less): more for loops over a graph; less for what rarely runs or mostly prints, because there
# the optimiser takes longer than it saves.
function(apsp_optimise target how)
  if(how STREQUAL more AND NOT CMAKE_CXX_FLAGS MATCHES "-O0")
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-O3>)
  elseif(how STREQUAL less AND CMAKE_CXX_FLAGS MATCHES "-O([12])")
    math(EXPR level "${CMAKE_MATCH_1} - 1")
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-O${level}>)
  endif()
endfunction()

# apsp_see(TARGET LAYERS...): what is above these layers cannot be included.
function(apsp_see target)
  list(TRANSFORM ARGN PREPEND ${PROJECT_SOURCE_DIR}/src/ OUTPUT_VARIABLE folders)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include ${folders})
  target_link_libraries(${target} PRIVATE apsp_usual)
endfunction()

# apsp_variants(FILES): of each pair with_X and no_X, only that for which X was found is left.
function(apsp_variants list)
  foreach(pair cuda mpi amd nccl)
    set(out with_${pair})
    if((pair STREQUAL cuda AND APSP_CUDA) OR (NOT pair STREQUAL cuda AND TARGET apsp_${pair}))
      set(out no_${pair})
    endif()
    list(FILTER ${list} EXCLUDE REGEX "/${out}\\.")
  endforeach()
  set(${list} ${${list}} PARENT_SCOPE)
endfunction()

# apsp_layer(LAYER SEES layers USES targets WITHOUT files LOOPS files LIGHT folders APART folders
#   HEADERS names): the object libraries
# LAYER, LAYER_loops, LAYER_light and LAYER_cuda of the files src/LAYER/*/*. Their names are added to LAYER_objects.
#   LOOPS  optimised more. Some of these files are compiled for several instruction sets; GCC crashes if those use
#          precompiled headers.
#   LIGHT  folders that are optimised less
#   HEADERS  those that are precompiled
#   APART  folders whose files use the same names, each for itself: they cannot be compiled together
function(apsp_layer layer)
  cmake_parse_arguments(PARSE_ARGV 1 "" "" "" "SEES;USES;WITHOUT;LOOPS;LIGHT;APART;HEADERS")
  file(GLOB files CONFIGURE_DEPENDS ${layer}/*/*.cpp ${layer}/*/*/*.cpp)
  apsp_variants(files)
  list(TRANSFORM _WITHOUT PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/${layer}/)
  list(REMOVE_ITEM files ${_WITHOUT} "")

  set(objects)
  list(TRANSFORM _LOOPS REPLACE "(.+)" "${CMAKE_CURRENT_SOURCE_DIR}/${layer}/\\1.cpp" OUTPUT_VARIABLE loops)
  list(REMOVE_ITEM files ${loops})
  set(light ${files})
  list(JOIN _LIGHT "|" folders)
  list(FILTER light INCLUDE REGEX "/${layer}/(${folders})/")
  if(_LIGHT)
    list(REMOVE_ITEM files ${light})
  else()
    set(light)
  endif()

  foreach(target "" _loops _light)
    set(of "${files}")
    if(target)
      string(SUBSTRING ${target} 1 -1 name)
      set(of "${${name}}")
    endif()
    if(NOT of)
      continue()
    endif()
    add_library(${layer}${target} OBJECT ${of})
    list(APPEND objects ${layer}${target})
    if(target STREQUAL _loops)
      apsp_optimise(${layer}_loops more)
      continue()
    elseif(target STREQUAL _light)
      apsp_optimise(${layer}_light less)
    endif()
    apsp_together(${layer}${target} "${of}" "${_APART}")
    # Precompiling pays where many files are compiled each for itself.
    list(JOIN _APART "|" apart)
    list(FILTER of INCLUDE REGEX "/(${apart})/[^;]*$")
    if(APSP_PCH AND (NOT APSP_UNITY OR (_APART AND of)))
      target_precompile_headers(${layer}${target} PRIVATE ${_HEADERS})
    endif()
  endforeach()

  file(GLOB kernels CONFIGURE_DEPENDS ${layer}/*/*.cu)
  apsp_variants(kernels)
  list(REMOVE_ITEM kernels ${_WITHOUT} "")
  if(APSP_CUDA AND kernels)
    add_library(${layer}_cuda OBJECT ${kernels})
    list(APPEND objects ${layer}_cuda)
  endif()
  foreach(target IN LISTS objects)
    apsp_see(${target} ${_SEES})
    target_link_libraries(${target} PRIVATE ${_USES})
  endforeach()
  set(${layer}_objects ${objects} PARENT_SCOPE)
endfunction()

# apsp_together(TARGET FILES APART): the files of a folder are compiled as one, unless it is listed in APART.
function(apsp_together target files apart)
  if(NOT APSP_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # GCC takes what is unnamed in a file for unnamed in a header that several include.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  foreach(file IN LISTS files)
    get_filename_component(folder ${file} DIRECTORY)
    get_filename_component(folder ${folder} NAME)
    if(folder IN_LIST apart)
      set_source_files_properties(${file} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    else()
      set_source_files_properties(${file} PROPERTIES UNITY_GROUP ${folder})
    endif()
  endforeach()
endfunction()
