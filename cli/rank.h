/* rank.h -- Which process of a parallel program this is, and on which machine.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

enum { RANK_NONE = -1, RANK_HOST_LENGTH = 64 };

/* rank_find -- Returns the number that Open MPI, MPICH and its kin, or Slurm gave this process, or
 * RANK_NONE.
 *
 * lookup  where variables come from (getenv, or a saved environment); returns NULL if unset.
 * Source: mpirun(1) of Open MPI 4.1, "OMPI_COMM_WORLD_RANK"; the PMI of MPICH 4.0's Hydra,
 *         "PMI_RANK"; PMIx 4, "PMIX_RANK"; srun(1), "SLURM_PROCID".
 */
int rank_find(char *(*lookup)(const char *name));

/* rank_host -- Writes the name of this machine up to its first dot; "localhost" if it has none.
 *
 * Returns HOST. A slash, which no name should have, becomes '_'.
 */
char *rank_host(char host[RANK_HOST_LENGTH]);
