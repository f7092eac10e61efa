# Writes revision.h if it would be another: `cmake -D SOURCE=… -D TO=… -D REVISION=… -D DIRTY=… -D CUDA=… -P revision.cmake`.
# Where there is no git, REVISION and DIRTY say what is built. Dirty: what differs from the revision, or is unknown to it,
# among the files that the program is made of.
if(NOT REVISION)
  execute_process(COMMAND git rev-parse --short=12 HEAD WORKING_DIRECTORY ${SOURCE} OUTPUT_VARIABLE REVISION
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  set(files CMakeLists.txt cmake include *.h *.cu *.cpp src)
  execute_process(COMMAND git diff HEAD -- ${files} WORKING_DIRECTORY ${SOURCE} OUTPUT_VARIABLE changed ERROR_QUIET)
  execute_process(COMMAND git ls-files -o --exclude-standard -- ${files} WORKING_DIRECTORY ${SOURCE} OUTPUT_VARIABLE new
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  string(REPLACE "\n" ";" new "${new}")
  foreach(file IN LISTS new)
    file(SHA256 ${SOURCE}/${file} hash)
    string(APPEND changed "${file} ${hash}\n")
  endforeach()
  set(DIRTY)
  if(changed)
    string(SHA256 DIRTY "${changed}")
    string(SUBSTRING ${DIRTY} 0 10 DIRTY)
  endif()
endif()
set(text "constexpr const char* kRevision = \"${REVISION}\";
constexpr const char* kDirty = \"${DIRTY}\";
constexpr const char* kCuda = \"${CUDA}\";
")
set(old)
if(EXISTS ${TO})
  file(READ ${TO} old)
endif()
if(NOT text STREQUAL old)
  file(WRITE ${TO} "${text}")
endif()
