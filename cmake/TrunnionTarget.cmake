# trunnion_folder(<name> <folder> [USES <target>...]): one library from one folder.
#
# The folder is reached as <trunnion/<name>/...> through an include root of its own, which holds a
# single link. A target sees only the roots of what it links with, so that an include that runs
# against the layers does not compile.

function(trunnion_folder name folder)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "USES")
  set(root "${PROJECT_BINARY_DIR}/include/${name}")
  file(MAKE_DIRECTORY "${root}/trunnion")
  file(CREATE_LINK "${PROJECT_SOURCE_DIR}/${folder}" "${root}/trunnion/${name}" SYMBOLIC)

  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${folder}/*.cpp")
  if(NOT sources)
    return()
  endif()
  add_library(trunnion_${name} STATIC ${sources})
  add_library(trunnion::${name} ALIAS trunnion_${name})
  target_include_directories(trunnion_${name} PUBLIC "$<BUILD_INTERFACE:${root}>"
                                                     $<INSTALL_INTERFACE:include>)
  target_link_libraries(trunnion_${name} PUBLIC ${arg_USES} PRIVATE trunnion_flags)
  set_target_properties(trunnion_${name} PROPERTIES EXPORT_NAME ${name})
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/${folder}/" DESTINATION include/trunnion/${name}
          FILES_MATCHING PATTERN "*.hpp")
endfunction()

# trunnion_test(<name> [USES <target>...]): one Boost.Test program from tests/<name>, one CTest entry.
function(trunnion_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "USES")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/${name}/*.cpp")
  if(NOT sources)
    return()
  endif()
  add_executable(test_${name} ${sources})
  target_include_directories(test_${name} PRIVATE "${PROJECT_BINARY_DIR}/include/tests")
  target_compile_definitions(
    test_${name} PRIVATE BOOST_TEST_DYN_LINK TRUNNION_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data")
  target_compile_options(test_${name} PRIVATE ${TRUNNION_TEST_OPTIONS})
  target_link_libraries(test_${name} PRIVATE ${arg_USES} Boost::unit_test_framework trunnion_flags)
  add_test(NAME ${name} COMMAND test_${name} --color_output=no --report_level=short)
endfunction()

function(link_if target)
  if(TARGET ${target})
    target_link_libraries(${target} PRIVATE ${ARGN})
  endif()
endfunction()

function(reuse_pch_if target)
  if(TARGET ${target})
    target_precompile_headers(${target} REUSE_FROM trunnion_pch)
  endif()
endfunction()
