/* config.h -- a project's switches, for CONTACT_CONFIG_H. */
#define CONTACT_REAL 32
#define CONTACT_SIMD CT_SIMD_NONE
#define CONTACT_WITH_FILES 0
#define CONTACT_WITH_LEMKE 0
#define CONTACT_SOLVER CT_SOLVER_PGS
