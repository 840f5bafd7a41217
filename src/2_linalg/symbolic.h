/* symbolic.h -- analysis of a principal sub-matrix of a cti_bsr: order, supernodes, rows, and the static plan of a left-looking
   factorization. A cluster is a sorted list of A's blocks (one body, one connected component, one patch). The analysis works on local
   numbers 0 .. n-1 in the order of that list, so that clusters with equal local graphs share one analysis. What differs between them, the
   slots of their blocks in A, is a cti_gather.
   Numbers used below: "local" as above; "position" is the place in the elimination order: position = inv[local], local = perm[position]. A
   supernode has the positions first[s] .. first[s+1]-1 as pivots, and the positions rows[row_ptr[s] .. row_ptr[s+1]-1] below them. Its
   panel is a matrix of unknowns: pivot rows padded to a multiple of 8, then the rows below padded to a multiple of 8. Columns are padded to
   a multiple of 4; a padded pivot is 1. The panel is stored in strips of 8 rows, each strip [column][8]. */
#pragma once

#include "bsr.h"
#include "kernel.h"
#include "order.h"

#define CTI_SYMBOLIC_WIDTH 32 /* [blocks] widest panel */

/* cti_sym_update -- how supernode `source` updates a later one: its rows i0 .. i1-1 (blocks, counted below the pivots) are pivots of the
   later one */
typedef struct cti_sym_update {
    int source, i0, i1;
    int piece; /* index of its first piece: see strip */
    int strip; /* index of its first strip in strip_piece; its strips are floor(3 i0 / 8) .. end of the source's rows below */
} cti_sym_update;
/* cti_sym_piece -- consecutive rows of a source's strip that are also consecutive in the target */
typedef struct cti_sym_piece {
    int target;         /* row in the target's panel */
    short lane, length; /* first row in the strip, number of rows */
} cti_sym_piece;
/* cti_sym_entry -- block (i, j) of the lower triangle, stored at unknowns (row, col) of the panel */
typedef struct cti_sym_entry {
    int i, j;     /* local numbers */
    int row, col; /* in the panel of the supernode that owns j */
} cti_sym_entry;

/* cti_symbolic -- zero it before first use; read-only afterwards, may be shared by clusters and threads. All arrays are stb_ds arrays. */
typedef struct cti_symbolic {
    int n, n_super; /* blocks, supernodes */
    int *ptr, *adj; /* the local pattern without the diagonal, rows sorted */
    int *perm, *inv;
    int *first;   /* [n_super + 1] */
    int *owner;   /* [n] supernode of a position */
    int *row_ptr; /* [n_super + 1] */
    int *rows;
    int *subtree;    /* [n_super] first position of the subtree whose root is the supernode */
    size_t *panel;   /* [n_super + 1] offset of the panel */
    int *pivot;      /* [n_super + 1] offset of the padded pivots */
    int *place;      /* [n] offset of a position's first unknown among the padded pivots */
    int *update_ptr; /* [n_super + 1], by target */
    cti_sym_update *update;
    int *strip_piece; /* index of the first piece of each strip of each update, and an end mark */
    cti_sym_piece *piece;
    int *entry_ptr; /* [n_super + 1] */
    cti_sym_entry *entry;
    size_t scratch;         /* numbers in the largest panel */
    int max_cols, max_rows; /* padded columns and padded rows of the largest panels */
    double nonzeros, flops; /* numbers of the factor as stored, padding not counted; additions and multiplications of one factorization */
} cti_symbolic;

/* cti_symbolic_analyze -- blocks [n_blocks] sorted, without repetitions. 0 when memory ran out (out is then empty). */
CTI_FN int cti_symbolic_analyze(cti_mem *mem, cti_symbolic *out, const cti_bsr *A, const int32_t *blocks, int n_blocks);
/* cti_symbolic_analyze_once -- the same in a fifth of the time, for a matrix that is factored a few times; each factorization costs a
   tenth more. at: where the blocks are, NULL if that is not known; then it takes a fifth of that. */
CTI_FN int cti_symbolic_analyze_once(cti_mem *mem, cti_symbolic *out, const cti_bsr *A, const int32_t *blocks, int n_blocks,
                                     const cti_order_places *at);
CTI_FN void cti_symbolic_free(cti_mem *mem, cti_symbolic *sym);
/* cti_symbolic_hash -- a hash of the cluster's local pattern; cti_symbolic_same -- 1 when sym was made from the same local pattern. */
CTI_FN uint64_t cti_symbolic_hash(const cti_bsr *A, const int32_t *blocks, int n_blocks);
CTI_FN int cti_symbolic_same(const cti_symbolic *sym, const cti_bsr *A, const int32_t *blocks, int n_blocks);

/* cti_gather -- for every entry of a symbolic its slot in A. Zero it before first use. */
typedef struct cti_gather {
    int *slot; /* [entry_ptr[n_super]] */
} cti_gather;
/* cti_gather_make -- the cluster's pattern must be the symbolic's (cti_symbolic_same). 0 when memory ran out. */
CTI_FN int cti_gather_make(cti_mem *mem, cti_gather *out, const cti_symbolic *sym, const cti_bsr *A, const int32_t *blocks);
CTI_FN void cti_gather_free(cti_mem *mem, cti_gather *gather);

/* sizes of supernode s: pivots in unknowns; columns padded to 4; pivot rows padded to 8; unknowns below; these padded to 8 */
CTI_INLINE int cti_sym_pivots(const cti_symbolic *sym, int s) { return 3 * (sym->first[s + 1] - sym->first[s]); }
CTI_INLINE int cti_sym_cols(const cti_symbolic *sym, int s) { return cti_pad4(cti_sym_pivots(sym, s)); }
CTI_INLINE int cti_sym_top(const cti_symbolic *sym, int s) { return cti_pad8(cti_sym_pivots(sym, s)); }
CTI_INLINE int cti_sym_below(const cti_symbolic *sym, int s) { return 3 * (sym->row_ptr[s + 1] - sym->row_ptr[s]); }
CTI_INLINE int cti_sym_height(const cti_symbolic *sym, int s) { return cti_sym_top(sym, s) + cti_pad8(cti_sym_below(sym, s)); }
