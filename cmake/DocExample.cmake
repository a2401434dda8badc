# trunnion_doc_example(<name> <document> USES <target>... [RUN]): the first C++ block of a document.
#
# It is compiled as it stands there, so that a document cannot show what does not build. With RUN it
# is a whole program, and a test that must end with status 0.

function(trunnion_doc_example name document)
  cmake_parse_arguments(PARSE_ARGV 2 arg "RUN" "" "USES")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${document}")
  file(READ "${PROJECT_SOURCE_DIR}/${document}" text)
  set(fence "```")
  string(FIND "${text}" "${fence}cpp\n" begin)
  if(begin EQUAL -1)
    message(FATAL_ERROR "${document} has no C++ example")
  endif()
  math(EXPR begin "${begin} + 7")
  string(SUBSTRING "${text}" ${begin} -1 text)
  string(FIND "${text}" "${fence}" end)
  string(SUBSTRING "${text}" 0 ${end} text)
  set(source "${PROJECT_BINARY_DIR}/examples/${name}.cpp")
  file(GENERATE OUTPUT "${source}" CONTENT "${text}")
  if(arg_RUN)
    add_executable(example_${name} "${source}")
    add_test(NAME example_${name} COMMAND example_${name})
  else()
    add_library(example_${name} OBJECT "${source}")
  endif()
  target_link_libraries(example_${name} PRIVATE ${arg_USES} trunnion_flags)
  reuse_pch_if(example_${name})
endfunction()
