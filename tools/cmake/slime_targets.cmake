# The three kinds of target. Names follow folders: slime_library(storage) makes slime::storage.

# slime_schema(NAME FILES...): C++ from Cap'n Proto schemas, included as "schemas/<file>.h".
function(slime_schema name)
  set(CAPNPC_SRC_PREFIX "${CMAKE_SOURCE_DIR}")
  set(CAPNPC_OUTPUT_DIR "${CMAKE_BINARY_DIR}/generated")
  set(CAPNPC_IMPORT_DIRS "${CMAKE_SOURCE_DIR}")
  file(MAKE_DIRECTORY "${CAPNPC_OUTPUT_DIR}")
  capnp_generate_cpp(sources headers ${ARGN})
  add_library(slime_${name} STATIC ${sources} ${headers})
  add_library(slime::${name} ALIAS slime_${name})
  target_compile_options(slime_${name} PRIVATE -w)
  target_include_directories(slime_${name} SYSTEM PUBLIC "${CAPNPC_OUTPUT_DIR}")
  target_link_libraries(slime_${name} PUBLIC CapnProto::capnp)
endfunction()

# slime_library(NAME SOURCES ... [USES ...] [HIDES ...])
# USES: targets whose headers ours include. HIDES: targets only our .cpp files include.
function(slime_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;USES;HIDES" ${ARGN})
  add_library(slime_${name} STATIC ${ARG_SOURCES})
  add_library(slime::${name} ALIAS slime_${name})
  target_include_directories(slime_${name} PUBLIC "${CMAKE_SOURCE_DIR}")
  target_link_libraries(slime_${name} PUBLIC ${ARG_USES} PRIVATE ${ARG_HIDES})
endfunction()

# slime_program(NAME SOURCES ... USES ...): build/<preset>/bin/NAME.
function(slime_program name)
  cmake_parse_arguments(ARG "" "" "SOURCES;USES" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_include_directories(${name} PRIVATE "${CMAKE_SOURCE_DIR}")
  target_link_libraries(${name} PRIVATE ${ARG_USES})
endfunction()

# slime_test(NAME SOURCES ... USES ... [LABELS ...] [TIMEOUT seconds]): one Boost.Test program.
function(slime_test name)
  cmake_parse_arguments(ARG "" "TIMEOUT" "SOURCES;USES;LABELS" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests"
    UNITY_BUILD ${SLIME_UNITY_TESTS} UNITY_BUILD_BATCH_SIZE 4)
  target_include_directories(${name} PRIVATE "${CMAKE_SOURCE_DIR}")
  target_include_directories(${name} SYSTEM PRIVATE "${CMAKE_BINARY_DIR}/generated")
  target_link_libraries(${name} PRIVATE ${ARG_USES} slime::test_main)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES TIMEOUT ${ARG_TIMEOUT} LABELS "${ARG_LABELS}")
  if("cluster" IN_LIST ARG_LABELS)
    # Real processes with real deadlines: beside another test they would measure that one's load.
    set_tests_properties(${name} PROPERTIES RUN_SERIAL TRUE)
  endif()
endfunction()
