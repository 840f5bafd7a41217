/* files_snapshot.c -- snapshots of worlds to and from files. */
#include "files.h"
#include "../9_world/snapshots.h"

#if CONTACT_WITH_FILES
/* cti_snapshot_bytes -- what is written to a file */
typedef struct cti_snapshot_bytes {
    char *data;
    size_t n;
} cti_snapshot_bytes;

static ct_code cti_snapshot_to_file(FILE *f, void *user)
{
    const cti_snapshot_bytes *q = (const cti_snapshot_bytes *)user;
    return fwrite(q->data, 1, q->n, f) == q->n ? CT_OK : CT_ERR_FILE;
}

CONTACT_API_DEF ct_code ct_world_snapshot_write(const ct_world *cw, const char *path)
{
    ct_world *w = (ct_world *)cw;
    cti_snapshot_bytes q;
    ct_code code = cti_snapshot_size(w, &q.n);
    if (code != CT_OK)
        return code;
    if (!path)
        return cti_world_refuse(w, CT_ERR_ARGUMENT, -1, 0, "path is NULL");
    q.data = NULL;
    if (CTI_RESIZE(&w->mem, q.data, q.n))
        code = cti_snapshot_save_world(w, q.data, q.n, NULL);
    else
        code = cti_world_refuse(w, CT_ERR_MEMORY, -1, (double)q.n, "out of memory for the snapshot");
    CTI_THEN(code, cti_file_write(&w->mem, path, cti_snapshot_to_file, &q, &w->error));
    CTI_FREE(&w->mem, q.data);
    w->mem.failed = 0;
    return code;
}

CONTACT_API_DEF ct_code ct_world_snapshot_read(ct_world *w, const char *path)
{
    char *data = NULL;
    ct_code code;
    if (!w || cti_world_busy(w) != CT_OK)
        return CT_ERR_ARGUMENT;
    if (!path)
        return cti_world_refuse(w, CT_ERR_ARGUMENT, -1, 0, "path is NULL");
    code = cti_file_load(&w->mem, path, &data, &w->error);
    CTI_THEN(code, ct_world_snapshot_restore(w, data, (size_t)CTI_LEN(data)));
    CTI_FREE(&w->mem, data);
    w->mem.failed = 0;
    return code;
}

#else

CONTACT_API_DEF ct_code ct_world_snapshot_write(const ct_world *w, const char *path)
{
    CTI_UNUSED(path);
    return w ? cti_world_refuse((ct_world *)w, CT_ERR_UNSUPPORTED, -1, 0, "built without files (CONTACT_WITH_FILES 0)") : CT_ERR_ARGUMENT;
}
CONTACT_API_DEF ct_code ct_world_snapshot_read(ct_world *w, const char *path) { return ct_world_snapshot_write(w, path); }
#endif
