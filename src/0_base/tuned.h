/* tuned.h -- how tuned numbers are written down: lists of lines X(type, name, value, unit, reason), one list for each group of at most 20.
   Method: a list expands to the fields of a struct and to their values. The struct is a constant, so that a compiler folds its fields. With
   CTI_POLICY_MUTABLE it is a variable, and a table gives each number by its name "group.name", so that one program can measure all of them
   (tools/bench_policy.py). docs/policy.md has a row of the same name for each number that was measured.
   Types are int, ct_real and double. Based on: no paper. */
#ifndef CTI_TUNED_H
#define CTI_TUNED_H

#include "platform.h"

#define CTI_TUNED_FIELD(type, name, value, unit, reason) type name;
#define CTI_TUNED_VALUE(type, name, value, unit, reason) value,

#ifdef CTI_POLICY_MUTABLE
typedef struct cti_tuned {
    const char *name, *type, *unit, *reason;
    void *at;
} cti_tuned;
#define CTI_TUNED_TEXT(x) #x
#define CTI_TUNED_NAME(group, name) CTI_TUNED_TEXT(group) "." #name
/* one entry of the table; CTI_TUNED_STRUCT and CTI_TUNED_GROUP say where it is */
#define CTI_TUNED_ENTRY(type, name, value, unit, reason) \
    {CTI_TUNED_NAME(CTI_TUNED_GROUP, name), #type, unit, reason, &CTI_TUNED_STRUCT.CTI_TUNED_GROUP.name},
#endif

#endif /* CTI_TUNED_H */
