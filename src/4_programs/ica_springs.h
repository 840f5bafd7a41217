/* ica_springs.h -- compliances and recoveries of a stand-alone problem, which bridge.h states as unknowns and as further contacts.
   An unknown that A couples with nothing, in one line of a contact, is a compliance and is eliminated: s = (b_s + alpha r) / a, c = alpha^2 / a.
   Two contacts of the same lines, the second with a further compliance and a smaller w_n, are one row that recovers its gap. */
#pragma once

#include "program.h"

/* cti_ica_springs -- the compliances that unknowns of the program stand for, and the rows of its contacts. Zero it before first use. */
typedef struct cti_ica_springs {
    int32_t *to;          /* [blocks of the program] block of A; -1: a block of springs */
    int32_t *line;        /* [n] the first line of J that holds the unknown; -1: none */
    int32_t *times;       /* [n] number of lines that hold it; -1: none, and A couples it with nothing */
    double *own, *shared; /* [m] compliance of a line by its own springs, by those that it shares with the next contact */
    double *w;            /* [m] w and what loads on springs add */
    int32_t *first;       /* [rows] the row's first line in the program */
    uint8_t *two;         /* [rows] 1: the row stands for two contacts */
} cti_ica_springs;

/* cti_ica_springs_find -- springs, and rows of `stride` lines; memory is the arena's. Returns the number of rows, -1: out of memory.
   *out_blocks: of A without springs. */
CTI_FN int cti_ica_springs_find(cti_ica_springs *q, cti_arena *arena, const cti_program *p, int stride, int *out_blocks);
/* cti_ica_springs_alone -- the stiffness of an unknown that A couples with nothing, else 0. */
CTI_FN double cti_ica_springs_alone(const cti_sparse *A, int j);
