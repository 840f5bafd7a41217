/* arrange.h -- bodies and joints of a snapshot, and a world whose bodies and joints take their places. */
#pragma once

#include "../0_base/archive.h"
#include "world.h"

/* cti_arrangement -- zero it. What a world has in place of other bodies and joints, or had. */
typedef struct cti_arrangement {
    int is_made;             /* 1: the world has been arranged */
    cti_body *bodies;        /* slots */
    cti_world_joint *joints; /* slots */
    cti_rigid *rigids;
    void *blocks[CTI_BLOCKS_ARRAYS];
    cti_pin *pins;           /* those of the snapshot are read later, and so is what follows */
    cti_direction *directions;
    cti_tether *tethers;
    int n, n_alive, n_fresh; /* as in the world; n: blocks */
    int32_t *from;           /* slot that each of the arranged bodies had before; -1: none is in its slot */
    int clean;               /* of the world before */
} cti_arrangement;

/* cti_arrange_lists -- visits what names the bodies and joints of a world in an archive; reading skips it. */
CTI_FN void cti_arrange_lists(cti_archive *a, ct_world *w);
/* cti_arrange -- a check of these lists. Where they are not those of the world, its bodies get the slots, ids and blocks that equal ones have in the
   data, all others leave it, and it has the joints of the data; *out keeps what was. a->code CT_ERR_ARGUMENT, with its text: the data have a body
   of which the world has no equal; CT_ERR_FORMAT, CT_ERR_MEMORY: then as always when a->code is not CT_OK the world is as it was. */
CTI_FN void cti_arrange(cti_archive *a, ct_world *w, cti_arrangement *out);
/* cti_arrange_end -- keep 1: what was is released; 0: the world gets it back. Never allocates. */
CTI_FN void cti_arrange_end(ct_world *w, int keep, cti_arrangement *t);
