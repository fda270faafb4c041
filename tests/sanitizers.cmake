# ctest reads this before it runs tests of a build with AddressSanitizer. For memory that a library
# allocates for its thread_local variables, LeakSanitizer of Clang 14 and GCC 12 takes the bytes
# before it for a header of glibc 2.19 if it begins 16 bytes after a page boundary: it then reads at
# invalid addresses, "Tracer caught signal 11", and the process ends with 1. So this search is
# disabled.
set(ENV{ASAN_OPTIONS} "intercept_tls_get_addr=0:$ENV{ASAN_OPTIONS}")
