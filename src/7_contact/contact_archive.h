/* contact_archive.h -- candidates and contact memory in an archive (0_base/archive.h), with all that a later motion may use of them. */
#pragma once

#include "../0_base/archive.h"
#include "detect.h"
#include "memory.h"

/* cti_archive_moderate -- refuses numbers of which the fourth power is not finite among the n that were visited last, as every call does that takes
   positions or velocities. */
CTI_FN void cti_archive_moderate(cti_archive *a, int n);
/* cti_archive_moderate_in -- the same of n that begin `at` bytes from the start of each element of the array that was visited last.
   cti_archive_finite_in -- of one double that has to be finite. */
CTI_FN void cti_archive_moderate_in(cti_archive *a, int length, size_t element, size_t at, int n);
CTI_FN void cti_archive_finite_in(cti_archive *a, int length, size_t element, size_t at);
/* cti_memory_archive -- items in their order; their table is made again. */
CTI_FN void cti_memory_archive(cti_archive *a, cti_memory *m);
/* cti_pairs_archive -- pairs of the features of a kind; returns their number. */
CTI_FN int cti_pairs_archive(cti_archive *a, const cti_surface *s, ct_pair_kind kind, int32_t **pairs);
/* cti_candidates_archive -- of a list that is complete; returns its length. */
CTI_FN int cti_candidates_archive(cti_archive *a, const cti_surface *s, cti_candidates *l);
CTI_FN void cti_room_archive(cti_archive *a, const cti_surface *s, cti_room *room);
/* cti_pair_bound -- refuses pairs of features that the surface does not have, in the array of `element` bytes that was visited last; at: where a
   pair begins in each of its elements. */
CTI_FN void cti_pair_bound(cti_archive *a, const cti_surface *s, int length, size_t element, size_t at);
CTI_FN void cti_detect_archive(cti_archive *a, const cti_surface *s, cti_detect *d);
/* cti_surface_archive -- positions, and what bodies' boxes are widened by. Boxes and trees are refitted by the next query, which finds the same. */
CTI_FN void cti_surface_archive(cti_archive *a, cti_surface *s);
