/* implementation.cc -- contact.h as a C++ file of its own. Included twice: the second time must add nothing. */
#define CONTACT_IMPLEMENTATION
#include "../../contact.h"
#include "../../contact.h"
#if defined(CTI_FN) || defined(CTI_INLINE) || defined(CTI_PUSH) || defined(CTI_EPS)
#error "a private macro leaks"
#endif
int implementation_twin(void);
int implementation_twin(void) { return ct_library_info_get()->real_bits; }
