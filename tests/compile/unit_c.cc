/* unit_c.cc -- a user in C++. */
extern "C" int unit_a_array_length(void);
extern "C" int unit_b_steps(void);
#include "../../contact.h"

int main()
{
    const ct_library_info *info = ct_library_info_get();
    if (info->real_bits != CONTACT_REAL)
        return 1;
    if (unit_a_array_length() != 12)
        return 2;
    return unit_b_steps() ? 0 : 3;
}
