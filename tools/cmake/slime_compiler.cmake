# How everything is compiled: C++20, warnings are errors, fast linker and ccache where present.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")

set(CMAKE_CXX_FLAGS_DEV "-O1 -g1")
# No contraction of a*b+c: the optimizer's arithmetic must not depend on what the compiler fuses.
add_compile_options(-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # False at -O3 for "text" + std::string: GCC bug 105651.
  add_compile_options(-Wno-restrict)
endif()
add_compile_definitions($<$<CONFIG:Release>:NDEBUG>)

if(SLIME_SANITIZE)
  # CAF 0.17.6 binds a null reference in init_fun_factory.hpp; the check is left out for its sake.
  add_compile_options(-fsanitize=${SLIME_SANITIZE} -fno-sanitize=null,vptr -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${SLIME_SANITIZE})
endif()

find_program(SLIME_CCACHE ccache)
if(SLIME_CCACHE)
  # Paths relative to the checkout, so that every checkout shares one cache. What a file depends on
  # is read from the compiler's own list: to preprocess it beforehand takes a tenth of the time.
  set(CMAKE_CXX_COMPILER_LAUNCHER
    ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1
    ${SLIME_CCACHE})
endif()
# Reading Boost.Test and our headers takes two thirds of a test's compilation.
option(SLIME_UNITY_TESTS "Compile the files of a test program four at a time" ON)

find_program(SLIME_MOLD mold)
if(SLIME_MOLD)
  add_link_options(-fuse-ld=mold)
endif()
