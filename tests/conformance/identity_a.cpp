#define AM_TEST_FILE a
#include "identity.inc"
