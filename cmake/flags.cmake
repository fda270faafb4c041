# The compile options of everything.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

add_compile_options(-Wall -Wextra -Wpedantic -Wshadow)
if(AM_WERROR)
  add_compile_options(-Werror)
endif()

if(AM_SANITIZE)
  add_compile_options(-fsanitize=${AM_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${AM_SANITIZE})
  if(AM_SANITIZE MATCHES undefined)
    add_compile_options(-fno-sanitize-recover=undefined)
    # When Clang links a program in C it leaves out what UBSan needs in libam.so, which is C++.
    set(CMAKE_C_LINK_EXECUTABLE "${CMAKE_CXX_LINK_EXECUTABLE}")
  endif()
endif()

if(AM_COVERAGE)
  add_compile_options(--coverage)
  add_link_options(--coverage)
endif()
