# How the files of a layer are compiled: what they see, how much they are optimised, and which of them together.

# apsp_optimise(TARGET more|less): more for loops over a graph; less for what rarely runs or mostly prints, because there
# the optimiser takes longer than it saves. With sanitizers that is also so for loops.
function(apsp_optimise target how)
  if(how STREQUAL more AND NOT (CMAKE_CXX_FLAGS MATCHES "-O0" OR APSP_SANITIZE))
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

# apsp_layer(LAYER SEES layers USES targets WITHOUT files LOOPS files LIGHT folders APART folders HEADERS names): object
# libraries of the files src/LAYER/*/*, whose names become LAYER_objects.
#   WITHOUT  files that are left out
#   LOOPS    files that are optimised more. Some of them are compiled for several instruction sets; GCC crashes if those
#            use precompiled headers.
#   LIGHT    folders that are optimised less
#   APART    folders whose files use the same names, and are compiled each for itself
#   HEADERS  what is precompiled, where many files are compiled each for itself
function(apsp_layer layer)
  cmake_parse_arguments(PARSE_ARGV 1 "" "" "" "SEES;USES;WITHOUT;LOOPS;LIGHT;APART;HEADERS")
  file(GLOB files CONFIGURE_DEPENDS ${layer}/*/*.cpp ${layer}/*/*/*.cpp)
  file(GLOB kernels CONFIGURE_DEPENDS ${layer}/*/*.cu)
  list(TRANSFORM _WITHOUT PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/${layer}/)
  foreach(list files kernels)
    apsp_variants(${list})
    list(REMOVE_ITEM ${list} ${_WITHOUT} "")
  endforeach()
  list(TRANSFORM _LOOPS REPLACE "(.+)" "${CMAKE_CURRENT_SOURCE_DIR}/${layer}/\\1.cpp" OUTPUT_VARIABLE loops)
  apsp_in("${files}" "${_LIGHT}" light)
  list(REMOVE_ITEM files ${loops} ${light} "")

  set(objects)
  foreach(kind files light loops kernels)
    string(REPLACE "_files" "" target ${layer}_${kind})
    if(NOT ${kind} OR (kind STREQUAL "kernels" AND NOT APSP_CUDA))
      continue()
    endif()
    list(APPEND objects ${target})
    add_library(${target} OBJECT ${${kind}})
    apsp_see(${target} ${_SEES})
    target_link_libraries(${target} PRIVATE ${_USES})
    if(kind STREQUAL "loops")
      apsp_optimise(${target} more)
    elseif(NOT kind STREQUAL "kernels")
      apsp_together(${target} "${${kind}}" "${_APART}")
      apsp_in("${${kind}}" "${_APART}" apart)
      if(APSP_PCH AND (apart OR NOT APSP_UNITY))
        target_precompile_headers(${target} PRIVATE ${_HEADERS})
      endif()
    endif()
    if(kind STREQUAL "light")
      apsp_optimise(${target} less)
    endif()
  endforeach()
  set(${layer}_objects ${objects} PARENT_SCOPE)
endfunction()

# apsp_in(FILES FOLDERS RESULT): those of the files that are in one of these folders, or below.
function(apsp_in files folders result)
  list(JOIN folders "|" any)
  if(any)
    list(FILTER files INCLUDE REGEX "/(${any})/")
  else()
    set(files)
  endif()
  set(${result} ${files} PARENT_SCOPE)
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
