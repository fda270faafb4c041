#define AM_TEST_FILE b
#include "identity.inc"
