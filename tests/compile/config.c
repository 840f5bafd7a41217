/* config.c -- CONTACT_CONFIG_H says what the library is. */
#define CONTACT_IMPLEMENTATION
#include "../../contact.h"
#include <stdio.h>
#include <string.h>

int main(void)
{
    const ct_library_info *i = ct_library_info_get();
    ct_mesh m;
    if (sizeof(ct_real) == 4 && i->real_bits == 32 && !strcmp(i->simd, "NONE") && !i->with_files && !strstr(i->solvers, "lemke") &&
        !strcmp(i->steppers, "cmr dcd barrier layers penalty geometric explicit") && ct_world_desc_default().solver.solver == CT_SOLVER_PGS &&
        ct_mesh_read("a.obj", &m, NULL) == CT_ERR_UNSUPPORTED)
        return 0;
    return printf("%d %s %d [%s] [%s] %s\n", i->real_bits, i->simd, i->with_files, i->steppers, i->solvers,
                  ct_solver_text(ct_world_desc_default().solver.solver));
}
