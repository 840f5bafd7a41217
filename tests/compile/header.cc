/* header.cc -- the declarations alone, in C++. */
#include "../../contact.h"
#include "../../contact.h"
ct_code header_twin(ct_world **world);
ct_code header_twin(ct_world **world)
{
    ct_world_desc desc = ct_world_desc_default();
    desc.thickness = (ct_real)1e-3;
    return ct_world_create(&desc, world, NULL);
}
