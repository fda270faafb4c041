/* A program that begins MPI as one in Fortran does, whose library it does not need for that. */
void mpi_init_(int* status);

int main(void) {
  int status;
  mpi_init_(&status);
  return 0;
}
