/* files_snapshot.c -- snapshots of worlds to and from files. */
#include "../9_world/world.h"
#include "files.h"

#if CONTACT_WITH_FILES
static ct_code cti_snapshot_to_file(FILE *f, void *bytes)
{
    size_t n = (size_t)CTI_LEN(bytes);
    return fwrite(bytes, 1, n, f) == n ? CT_OK : CT_ERR_FILE;
}
#endif

/* to a file, or from it */
static ct_code cti_snapshot_file(ct_world *w, const char *path, int reads)
{
#if CONTACT_WITH_FILES
    char *data = NULL;
    size_t n = 0;
    ct_code code = ct_world_snapshot_size(w, &n);
    if (code == CT_OK && !path)
        code = cti_world_refuse(w, CT_ERR_ARGUMENT, -1, 0, "path is NULL");
    if (code == CT_OK && reads)
        code = cti_file_load(&w->mem, path, &data, &w->error);
    else if (code == CT_OK && !CTI_RESIZE(&w->mem, data, n))
        code = cti_world_refuse(w, CT_ERR_MEMORY, -1, (double)n, "out of memory for the snapshot");
    CTI_THEN(code, reads ? ct_world_snapshot_restore(w, data, (size_t)CTI_LEN(data)) : ct_world_snapshot_save(w, data, n, NULL));
    if (!reads)
        CTI_THEN(code, cti_file_write(&w->mem, path, cti_snapshot_to_file, data, &w->error));
    if (w)
        CTI_FREE(&w->mem, data), w->mem.failed = 0;
    return code;
#else
    CTI_UNUSED(path), CTI_UNUSED(reads);
    return w ? cti_world_refuse(w, CT_ERR_UNSUPPORTED, -1, 0, "built without files (CONTACT_WITH_FILES 0)") : CT_ERR_ARGUMENT;
#endif
}

CONTACT_API_DEF ct_code ct_world_snapshot_write(const ct_world *w, const char *path) { return cti_snapshot_file((ct_world *)w, path, 0); }
CONTACT_API_DEF ct_code ct_world_snapshot_read(ct_world *w, const char *path) { return cti_snapshot_file(w, path, 1); }
