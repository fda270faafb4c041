# ctest reads this before it runs tests. What a test finds does not depend on which profile the
# machine has; those of AM_PROFILE set it.
set(ENV{AM_PROFILE} off)
