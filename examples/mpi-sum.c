/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An MPI program: each process prints its host, and all add up their ranks.
 *
 *   mpicc -o mpi-sum mpi-sum.c
 *   verbatim exec --hosts 3 --on a='mpirun -H a,b,c ./mpi-sum'
 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	char host[MPI_MAX_PROCESSOR_NAME];
	int rank, size, sum, len;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Get_processor_name(host, &len);
	MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	printf("rank %d of %d on host %s, the sum of all ranks is %d\n", rank, size, host, sum);
	MPI_Finalize();
	return 0;
}
