# Checks of the sources themselves, as tests: tests/lint/. Each has a second test which proves that it
# sees planted mistakes.

include(HeaderCheck)
find_package(Python3 3.11 REQUIRED COMPONENTS Interpreter)

function(trunnion_lint name)
  set(script "${PROJECT_SOURCE_DIR}/tests/lint/${name}.py")
  add_test(NAME lint_${name} COMMAND Python3::Interpreter -B "${script}")
  add_test(NAME lint_${name}_can_fail COMMAND Python3::Interpreter -B "${script}" --self-test)
  set_tests_properties(lint_${name} lint_${name}_can_fail PROPERTIES SKIP_RETURN_CODE 77)
endfunction()

trunnion_lint(layering)
trunnion_lint(banned_words)
trunnion_lint(registered_types)
trunnion_lint(promised_tests)
trunnion_lint(hygiene)
trunnion_lint(format)
trunnion_lint(shell)

# Headers are compiled by the build, with the include roots of their own layer.
trunnion_check_headers(messages messages USES trunnion::messages trunnion_flags)
trunnion_check_headers(actors actors USES trunnion::actors trunnion_flags)
trunnion_check_headers(backends backends USES trunnion::backends trunnion_flags)
trunnion_check_headers(runtime apps/runtime USES trunnion::runtime trunnion_flags)
trunnion_check_headers(site apps/site USES trunnion::site trunnion_flags)
trunnion_check_headers(kinds apps/kinds USES trunnion::kinds trunnion_flags)
trunnion_check_headers(runner apps/runner USES trunnion::runner trunnion_flags)
trunnion_check_headers(tool apps/trunnion USES trunnion::tool trunnion_flags)

add_library(trunnion_test_root INTERFACE)
target_include_directories(trunnion_test_root INTERFACE "${PROJECT_BINARY_DIR}/include/tests")
target_compile_definitions(trunnion_test_root INTERFACE BOOST_TEST_DYN_LINK
                           TRUNNION_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data")
foreach(folder IN ITEMS fixtures conformance)
  trunnion_check_headers(
    tests tests UNDER ${folder}
    USES trunnion::backends trunnion::actors trunnion_test_root Boost::unit_test_framework trunnion_flags)
endforeach()

# One build at a time, as in scripts/build.
file(MAKE_DIRECTORY "${PROJECT_SOURCE_DIR}/build")
add_test(NAME lint_headers_alone
         COMMAND flock "${PROJECT_SOURCE_DIR}/build/.lock" "${CMAKE_COMMAND}" --build
                 "${PROJECT_BINARY_DIR}" --target header_check -j2 -- -k0)
add_test(NAME lint_headers_alone_can_fail
         COMMAND Python3::Interpreter -B "${PROJECT_SOURCE_DIR}/tests/lint/headers_alone.py")
add_test(NAME setup_script
         COMMAND Python3::Interpreter -B "${PROJECT_SOURCE_DIR}/tests/lint/setup_script.py")
set_tests_properties(lint_headers_alone PROPERTIES TIMEOUT 1200 PROCESSORS 2)

# Real time and real signals: `scripts/test --faults`.
if(NOT TARGET test_faults)
  trunnion_test(faults USES trunnion::runtime)
endif()
if(TARGET test_faults)
  set_tests_properties(faults PROPERTIES LABELS faults)
endif()
