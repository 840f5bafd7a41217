/* cc -O2 ccd_kernel.c -lm -o ccd_kernel     (beside contact.h and stb_ds.h) -- continuous collision detection alone: no world, no
 * allocation */
#define CONTACT_IMPLEMENTATION
#include "contact.h"
#include <stdio.h>

int main(void)
{
    /* a vertex and the triangle 0 1 2, at the start and at the end of a straight motion */
    ct_real start[12] = {(ct_real)0.2, 1, (ct_real)0.2, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    ct_real end[12] = {(ct_real)0.2, -1, (ct_real)0.2, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    /* two edges that cross; a third moves away */
    ct_real x0[18] = {-1, 0, 0, 1, 0, 0, 0, 1, -1, 0, 1, 1, 5, 0, 0, 6, 0, 0};
    ct_real x1[18] = {-1, 0, 0, 1, 0, 0, 0, -1, -1, 0, -1, 1, 7, 0, 0, 8, 0, 0};
    int32_t pairs[8] = {0, 1, 2, 3, 0, 1, 4, 5};
    ct_real toi[2];
    int wrong;

    if (ct_ccd_vertex_face(start, end, 0, &toi[0]) != CT_OK)
        return 1;
    wrong = toi[0] > 0.5 || toi[0] < 0.49999;
    printf("touch at t = %.6f\n", (double)toi[0]); /* never late, rounding included */
    if (ct_ccd_vertex_face(start, end, (ct_real)0.1, &toi[0]) != CT_OK)
        return 1;
    wrong += toi[0] > 0.45 || toi[0] < 0.44999;
    printf("a tenth away at t = %.6f\n", (double)toi[0]);
    end[1] = (ct_real)0.5;
    if (ct_ccd_vertex_face(start, end, 0, &toi[0]) != CT_OK)
        return 1;
    wrong += toi[0] <= 1;
    printf("stops in time: %s\n", toi[0] > 1 ? "no touch" : "touch");

    /* a batch: points, and four point numbers for each pair */
    if (ct_ccd_edge_edge_batch(x0, x1, pairs, 2, 0, toi) != CT_OK)
        return 1;
    wrong += toi[0] > 0.5 || toi[0] < 0.49999 || toi[1] <= 1;
    printf("edges: t = %.6f and %s\n", (double)toi[0], toi[1] > 1 ? "no touch" : "touch");
    return wrong ? 1 : 0;
}
