import contact
import numpy as np

world = contact.World(friction=0.3)
world.add_plane()

# a cape: its collar follows a body that an animation moves
hero = world.add_kinematic(contact.Mesh.sphere(0.2, 3), position=(0, 1, 0), name="hero")
cape = world.add_cloth(contact.Mesh.grid((0.4, 0.5), (8, 10)), position=(0, 1.21, 0.25), areal_density=0.2, name="cape")
collar = np.flatnonzero(cape.positions[:, 2] < 0.01)
hold = cape.positions[collar]
for frame in range(1, 61):
    way = np.array((0.01 * frame, 0, 0))
    hero.move_pose((0, 1, 0) + way, None, 1 / 60)
    cape.move_vertices(hold + way, 1 / 60, collar)
    world.step(1 / 60)
print("the cape hangs down to %.2f m" % cape.positions[:, 1].min())

# a jelly that is picked up: a ray finds the vertex, a spring pulls it
jelly = world.add_soft(contact.Mesh.box((0.2, 0.2, 0.2), (3, 3, 3)), young=2e4, position=(2, 0.102, 0), name="jelly")
hit = world.cast_ray((2, 3, 0), (0, -3, 0))
body, vertex = world.body(hit.body), hit.vertices[hit.weights.argmax()]
drag = world.add_joint("drag", (body, int(vertex)))
drag.set_motor(0, 500)
drag.set_spring(0, stiffness=2000, damping=100)
for frame in range(120):
    drag.set_target((2, 0.2 + 0.01 * frame, 0))
    world.step(1 / 60)
print("%s hangs %.2f m above the floor" % (body.name, body.positions[:, 1].min()))
