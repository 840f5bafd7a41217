import contact
import numpy as np

# a problem of a step
world = contact.World(friction=0.5, gravity=(2, -9.81, 0))
world.add_plane()
for k in range(3):
    world.add_rigid(contact.Mesh.box((0.2, 0.2, 0.2), tets=False), position=(0.05 * k, 0.101 + 0.201 * k, 0))
for _ in range(5):
    world.step(0.01)
problem = world.problem()

# projected Gauss-Seidel of your own: u = W r + q, W = J A^-1 J', q = J A^-1 b + w
a = problem.arrays()
A, J = a["A"].toarray(), a["J"].toarray()
W, q = J @ np.linalg.solve(A, J.T), J @ np.linalg.solve(A, a["b"]) + a["w"]
r = np.zeros(problem.m)
for sweep in range(300):
    for k in range(0, problem.m, 3):
        n, t = k, slice(k + 1, k + 3)
        r[n] = max(0, r[n] - (W[n] @ r + q[n]) / W[n, n])
        slide = r[t] - (W[t] @ r + q[t]) / W[t, t].diagonal().max()
        most = a["mu"][k // 3] * r[n]
        r[t] = slide * min(1, most / max(np.linalg.norm(slide), 1e-300))

# the judge is the library's: it computes x from r, and says how well both solve the problem
judged = problem.judge(r, tolerance=1e-3)
print(judged.outcome.name, "with a residual of %.0e" % judged.residual)
print("velocities differ from the world's own by %.0e m/s" % abs(judged.x - problem.x_ref).max())
