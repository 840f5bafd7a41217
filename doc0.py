import contact

world = contact.World(friction=0.5)
world.add_plane()
jelly = world.add_soft(contact.Mesh.box((0.2, 0.2, 0.2), (3, 3, 3)), young=2e4, position=(0, 0.5, 0))
for step in range(200):
    report = world.step(0.01)
print(report.status.name, "lowest point %.4f m" % jelly.positions[:, 1].min())
force = world.contacts["impulse_normal"].sum() / 0.01
print("%d contacts carry %.1f N of %.1f N" % (len(world.contacts), force, jelly.mass * 9.81))
