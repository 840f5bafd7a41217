/* checks.c -- CONTACT_ASSERT and CONTACT_VALIDATE: silent where all is well, heard where it is not. The file sees the library's private parts. */
static int fired;
#define CONTACT_ASSERT(x) ((x) ? (void)0 : (void)fired++)
#define CONTACT_VALIDATE 1
#define CONTACT_IMPLEMENTATION
#include "../../contact.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int logged;
static void hear(ct_log_level level, const char *text, void *user)
{
    (void)user;
    logged += level == CT_LOG_ERROR && strstr(text, "CONTACT_VALIDATE") != NULL;
}

/* memory that runs out when it is asked for the k-th time from now on */
static long asked, refused_at;
static void *refuse(void *user, void *block, size_t old_size, size_t new_size)
{
    (void)user, (void)old_size;
    if (new_size == 0) {
        free(block);
        return NULL;
    }
    return ++asked == refused_at ? NULL : realloc(block, new_size);
}

/* a box and a sheet in front of it that fall on the floor; the first step is refused its k-th request (0: none). *out_told: that was said,
   and the world was as it had been; then the step is tried again. Returns the hash of the end, 0 when something is wrong */
static uint64_t fall(const ct_mesh *m, long k, int *out_told)
{
    ct_world_desc d = ct_world_desc_default();
    ct_static_desc fd = ct_static_desc_default();
    ct_rigid_desc rd = ct_rigid_desc_default();
    ct_cloth_desc cd = ct_cloth_desc_default();
    const ct_real size[2] = {(ct_real)0.1, (ct_real)0.1};
    const int cells[2] = {2, 2};
    ct_world *w = NULL;
    ct_body_id id;
    ct_mesh sheet;
    uint64_t h = 1, before;
    int i;
    d.allocator.resize = refuse;
    rd.mesh = m;
    if (ct_mesh_grid(size, cells, &sheet, NULL) != CT_OK)
        return 0;
    for (i = 0; i < sheet.n_positions; i++)
        sheet.positions[3 * i + 1] += (ct_real)0.005;
    cd.mesh = &sheet;
    if (ct_world_create(&d, &w, NULL) != CT_OK || ct_body_add_static(w, &fd, &id) != CT_OK || ct_body_add_rigid(w, &rd, &id) != CT_OK ||
        ct_body_add_cloth(w, &cd, &id) != CT_OK)
        return 0;
    for (i = 0; i < 3 && h; i++) {
        ct_code code;
        before = ct_world_hash(w);
        refused_at = k > 0 && i == 0 ? asked + k : 0;
        code = ct_world_step(w, (ct_real)0.01, NULL);
        if (refused_at && asked >= refused_at) {
            refused_at = 0;
            *out_told = code == CT_ERR_MEMORY && ct_world_hash(w) == before && ct_world_time(w) < 0.005;
            code = ct_world_step(w, (ct_real)0.01, NULL);
        }
        refused_at = 0;
        h = code == CT_OK ? ct_world_hash(w) : 0;
    }
    ct_world_destroy(w), ct_mesh_free(&sheet);
    return h;
}

/* every request of a step and of what is looked up after it */
static int sweep(const ct_mesh *m)
{
    int told = 0, n = 0;
    uint64_t want = fall(m, 0, &told), h = want;
    long k;
    for (k = 1; h == want && (k == 1 || told); k++) {
        told = 0;
        h = fall(m, k, &told);
        n += told;
    }
    if (want && h == want && n > 3)
        return 0;
    return printf("memory in a step that is looked after: request %ld of %d, %d\n", k - 1, n, h == want);
}

/* what is changed behind the library's back has to be found after the next step's end */
static int found(ct_world *w, const ct_step_report *report, const char *what)
{
    int f = fired, l = logged;
    ct_code code = cti_inspect(w, report);
    if (code == CT_ERR_DOMAIN && strstr(ct_world_error(w)->text, what) && fired == f + 1 && logged == l + 1)
        return 0;
    return printf("%s: code %d, text %s, %d asserts, %d messages\n", what, (int)code, ct_world_error(w)->text, fired - f, logged - l);
}

static int mutations(ct_world *w, ct_step_report *report)
{
    ct_real nan, keep = w->state.v[0], *x = w->state.surface.x0;
    uint64_t bits = 0x7ff8000000000000ull;
    double d;
    int32_t *vertex;
    int bad, i;
    memcpy(&d, &bits, sizeof d), nan = (ct_real)d;
    w->state.v[0] = nan, bad = found(w, report, "velocity"), w->state.v[0] = keep;
    keep = x[1], x[1] += 1, bad = bad || found(w, report, "surface vertex"), x[1] = keep;
    x = w->state.contact.rows[0].r;
    keep = x[0], x[0] = -1, bad = bad || found(w, report, "pulls"), x[0] = keep;
    vertex = w->state.contact.origins[0].pair.v;
    i = vertex[0], vertex[0] = -1, bad = bad || found(w, report, "vertex that does not exist"), vertex[0] = i;
    if (bad || cti_inspect(w, report) != CT_OK)
        return 1;
    /* the floor comes up: the box lies behind it */
    keep = w->state.surface.planes[0].offset, w->state.surface.planes[0].offset += (ct_real)0.02;
    bad = found(w, report, "intersect");
    report->tangled = 1, bad = bad || cti_inspect(w, report) != CT_OK; /* it is known to be so */
    w->state.surface.planes[0].offset = keep;
    return bad;
}

int main(void)
{
    const ct_real size[3] = {(ct_real)0.1, (ct_real)0.1, (ct_real)0.1};
    const int cells[3] = {1, 1, 1};
    ct_world_desc d = ct_world_desc_default();
    ct_static_desc fd = ct_static_desc_default();
    ct_soft_desc sd = ct_soft_desc_default();
    ct_step_report report;
    ct_world *w = NULL;
    ct_body_id id;
    ct_mesh m;
    int i, bad;
    d.log = hear;
    if (ct_mesh_box(size, cells, 1, &m, NULL) != CT_OK || ct_world_create(&d, &w, NULL) != CT_OK)
        return printf("no world\n");
    for (i = 0; i < m.n_positions; i++)
        m.positions[3 * i + 1] += (ct_real)0.06;
    sd.mesh = &m;
    bad = ct_body_add_static(w, &fd, &id) != CT_OK || ct_body_add_soft(w, &sd, &id) != CT_OK;
    for (i = 0; i < 40 && !bad; i++)
        bad = ct_world_step(w, (ct_real)0.01, &report) != CT_OK;
    if (bad || fired || logged || report.contacts == 0)
        return printf("a world without faults: %d, %d asserts, %d messages, %d contacts: %s\n", bad, fired, logged, report.contacts,
                      ct_world_error(w)->text);
    bad = mutations(w, &report) || sweep(&m);
    ct_world_destroy(w), ct_mesh_free(&m);
    return bad;
}
