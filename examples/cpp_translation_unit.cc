// c++ -O2 cpp_translation_unit.cc -o cpp_translation_unit     (beside contact.h and stb_ds.h) -- the same file as C++, with RAII around it
#define CONTACT_IMPLEMENTATION
#include "contact.h"
#include <cstdio>
#include <memory>
#include <stdexcept>

struct world_deleter {
    void operator()(ct_world *world) const { ct_world_destroy(world); }
};
using world_ptr = std::unique_ptr<ct_world, world_deleter>;

class mesh {
  public:
    mesh(ct_real x, ct_real y, ct_real z)
    {
        ct_real size[3] = {x, y, z};
        int cells[3] = {3, 3, 3};
        ct_error_info error;
        if (ct_mesh_box(size, cells, 1, &m, &error) != CT_OK)
            throw std::runtime_error(error.text);
    }
    ~mesh() { ct_mesh_free(&m); }
    mesh(const mesh &) = delete;
    mesh &operator=(const mesh &) = delete;
    ct_mesh m{};
};

static void check(const world_ptr &world, ct_code code)
{
    if (code != CT_OK)
        throw std::runtime_error(ct_world_error(world.get())->text);
}

int main()
try {
    mesh cube(1, 1, 1);
    ct_world_desc desc = ct_world_desc_default();
    ct_error_info error;
    ct_world *raw = nullptr;
    if (ct_world_create(&desc, &raw, &error) != CT_OK)
        throw std::runtime_error(error.text);
    world_ptr world(raw);

    ct_static_desc ground = ct_static_desc_default();
    ct_soft_desc soft = ct_soft_desc_default();
    ct_body_id floor_id, cube_id;
    for (int i = 0; i < cube.m.n_positions; i++)
        cube.m.positions[3 * i + 1] += 1;
    soft.mesh = &cube.m;
    check(world, ct_body_add_static(world.get(), &ground, &floor_id));
    check(world, ct_body_add_soft(world.get(), &soft, &cube_id));
    ct_step_report report;
    for (int i = 0; i < 100; i++)
        check(world, ct_world_step(world.get(), ct_real(0.01), &report));
    std::printf("t = %.2f s   height %.2f m   %d contacts\n", ct_world_time(world.get()), report.center_of_mass[1], report.contacts);
    return report.center_of_mass[1] > 0 && report.center_of_mass[1] < 1 ? 0 : 1;
} catch (const std::exception &e) {
    std::printf("%s\n", e.what());
    return 1;
}
