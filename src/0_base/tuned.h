/* tuned.h -- how tuned numbers are written down: lists of lines X(type, name, value, unit, reason), one list for each group of at most 20.
   Method: a list expands to the fields of a struct and to their values. The struct is a constant, so that a compiler folds its fields. With
   CTI_POLICY_MUTABLE it is a variable, and a program visits each number with its name "group.name", so that one program can measure all of
   them (tools/bench_policy.py). docs/policy.md has a row of the same name for each number that was measured.
   Types are int, ct_real and double. Based on: no paper. */
#pragma once

#include "platform.h"

#define CTI_TUNED_FIELD(type, name, value, unit, reason) type name;
#define CTI_TUNED_VALUE(type, name, value, unit, reason) value,

/* the groups of a struct `all`, and their values, from a list of lines G(all, group, list) */
#define CTI_TUNED_GROUP_FIELD(all, group, LIST) struct all##_##group { LIST(CTI_TUNED_FIELD) } group;
#define CTI_TUNED_GROUP_VALUE(all, group, LIST) {LIST(CTI_TUNED_VALUE)},

#ifndef CTI_POLICY_MUTABLE
#define CTI_TUNED_CONST static const
#else
#define CTI_TUNED_CONST __attribute__((weak)) /* the linker keeps one of all files' definitions */
typedef struct cti_tuned {
    const char *group, *name, *type, *unit, *reason;
    void *at;
} cti_tuned;
/* calls visit(ctx, number) for each number of a group: two names that are in scope */
#define CTI_TUNED_VISIT(type_, name_, value_, unit_, reason_) \
    t.name = #name_, t.type = #type_, t.unit = unit_, t.reason = reason_, t.at = &at->name_, visit(ctx, &t);
#define CTI_TUNED_GROUP_VISIT(all, group_, LIST) \
    { \
        struct all##_##group_ *at = &all.group_; \
        cti_tuned t; \
        t.group = #group_; \
        LIST(CTI_TUNED_VISIT) \
    }
#endif
