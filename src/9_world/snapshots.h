/* snapshots.h -- snapshots of worlds, as ct_world_snapshot_size, _save and _restore. */
#pragma once

#include "world.h"

CTI_FN ct_code cti_snapshot_size(ct_world *w, size_t *out_bytes);
CTI_FN ct_code cti_snapshot_save_world(ct_world *w, void *out, size_t capacity, size_t *out_bytes);
CTI_FN ct_code cti_snapshot_restore_world(ct_world *w, const void *data, size_t bytes);
