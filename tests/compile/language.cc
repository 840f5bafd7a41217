/* language.cc -- contact.h where C++ users put it: its declarations in a namespace, or all of it in extern "C". AROUND: 1 a namespace, the implementation
   in another file; 2 extern "C", likewise; 3 extern "C" around the implementation. */
#if AROUND == 1
#include <stddef.h>
#include <stdint.h>
namespace game {
#include "../../contact.h"
}
using game::ct_library_info_get;
using game::ct_mesh;
using game::ct_mesh_box;
using game::ct_mesh_free;
using game::ct_real;
using game::CT_OK;
#else
extern "C" {
#if AROUND == 3
#define CONTACT_IMPLEMENTATION
#endif
#include "../../contact.h"
}
#endif

int main()
{
    const ct_real size[3] = {1, 1, 1};
    const int cells[3] = {1, 1, 1};
    ct_mesh m;
    int ok = ct_mesh_box(size, cells, 1, &m, NULL) == CT_OK && m.n_positions == 8 && ct_library_info_get()->real_bits == CONTACT_REAL;
    ct_mesh_free(&m);
    return ok ? 0 : 1;
}
