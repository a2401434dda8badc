# Finds the C++ Actor Framework, for which Debian ships no CMake package.
#
# Components: core, io, openssl. Defines CAF::<component> with what each one needs, and CAF_VERSION.
# The target names are those of CAF's own later packages, so that a newer CAF drops in.

find_path(CAF_INCLUDE_DIR NAMES caf/all.hpp)
if(CAF_INCLUDE_DIR) # "#define CAF_VERSION 1706" is MAJOR * 10000 + MINOR * 100 + PATCH.
  file(STRINGS "${CAF_INCLUDE_DIR}/caf/config.hpp" caf_line REGEX "^#define CAF_VERSION [0-9]+")
  string(REGEX MATCH "[0-9]+" caf_number "${caf_line}")
  math(EXPR caf_major "${caf_number} / 10000")
  math(EXPR caf_minor "(${caf_number} / 100) % 100")
  math(EXPR caf_patch "${caf_number} % 100")
  set(CAF_VERSION "${caf_major}.${caf_minor}.${caf_patch}")
endif()

find_package(Threads REQUIRED)
foreach(component IN LISTS CAF_FIND_COMPONENTS)
  find_library(CAF_${component}_LIBRARY NAMES caf_${component})
  mark_as_advanced(CAF_${component}_LIBRARY)
  if(CAF_${component}_LIBRARY AND CAF_INCLUDE_DIR)
    set(CAF_${component}_FOUND TRUE)
  endif()
endforeach()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  CAF
  REQUIRED_VARS CAF_INCLUDE_DIR
  VERSION_VAR CAF_VERSION
  HANDLE_COMPONENTS)

foreach(component IN LISTS CAF_FIND_COMPONENTS)
  if(CAF_${component}_FOUND AND NOT TARGET CAF::${component})
    add_library(CAF::${component} UNKNOWN IMPORTED)
    set_target_properties(
      CAF::${component}
      PROPERTIES IMPORTED_LOCATION "${CAF_${component}_LIBRARY}"
                 INTERFACE_INCLUDE_DIRECTORIES "${CAF_INCLUDE_DIR}"
                 INTERFACE_LINK_LIBRARIES Threads::Threads)
  endif()
endforeach()
if(TARGET CAF::io)
  set_property(TARGET CAF::io APPEND PROPERTY INTERFACE_LINK_LIBRARIES CAF::core)
endif()
if(TARGET CAF::openssl)
  set_property(TARGET CAF::openssl APPEND PROPERTY INTERFACE_LINK_LIBRARIES CAF::io)
endif()
mark_as_advanced(CAF_INCLUDE_DIR)
