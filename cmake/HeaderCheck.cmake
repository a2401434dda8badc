# trunnion_check_headers(<name> <folder> [UNDER <sub-folder>] [USES <target>...]): headers that compile
# alone.
#
# Makes the target header_check compile every header of the folder by itself, twice in a row, with
# the include roots of USES and no precompiled header. A header is <trunnion/<name>/...>. Not part of
# `all`: the test `lint_headers_alone` builds it, and only what changed is compiled again.

function(trunnion_check_headers name folder)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "UNDER" "USES")
  foreach(used IN LISTS arg_USES)
    if(NOT TARGET ${used})
      return()
    endif()
  endforeach()
  set(target header_check_${name}${arg_UNDER})
  set(sources)
  file(GLOB_RECURSE headers RELATIVE "${PROJECT_SOURCE_DIR}/${folder}" CONFIGURE_DEPENDS
       "${PROJECT_SOURCE_DIR}/${folder}/${arg_UNDER}/*.hpp")
  foreach(header IN LISTS headers)
    set(source "${PROJECT_BINARY_DIR}/header_check/${name}/${header}.cpp")
    set(include "#include \"trunnion/${name}/${header}\"\n")
    file(CONFIGURE OUTPUT "${source}" CONTENT "${include}${include}" @ONLY)
    list(APPEND sources "${source}")
  endforeach()
  if(NOT sources)
    return()
  endif()
  add_library(${target} OBJECT EXCLUDE_FROM_ALL ${sources})
  target_link_libraries(${target} PRIVATE ${arg_USES})
  target_compile_options(${target} PRIVATE -O0 -g0) # The compiler's front end is all that matters.
  if(NOT TARGET header_check)
    add_custom_target(header_check)
  endif()
  add_dependencies(header_check ${target})
endfunction()
