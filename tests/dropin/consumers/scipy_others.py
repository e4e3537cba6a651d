"""SciPy: images, clusters, integrals, minima, interpolation, rotations, linear algebra."""

import numpy as np
from scipy import cluster, constants, differentiate, integrate, interpolate, linalg, ndimage, optimize, spatial
from scipy.optimize import elementwise
from scipy.spatial.transform import Rotation

rng = np.random.default_rng(5)
IMAGE = rng.uniform(size=(9, 11))
MASK = IMAGE > 0.4
POINTS = rng.normal(size=(20, 3))
X = np.sort(rng.uniform(0, 4, 12))
Y = np.sin(X)
AT = np.linspace(X[0], X[-1], 9)
S = POINTS.T @ POINTS
ANGLES = rng.uniform(-1, 1, (4, 3))


def image(name, *parameters, values=IMAGE, **options):
    return lambda a: getattr(ndimage, name)(a(values), *parameters, **options)


def interpolated(name):
    return lambda a: getattr(interpolate, name)(a(X), a(Y))(a(AT))


def cube(x):
    return x * x * x - x - 2.0


def linkage(a):
    return cluster.hierarchy.linkage(a(POINTS), "average")


def rotations(a):
    rotation = Rotation.from_euler("xyz", a(ANGLES))
    return rotation.as_quat(), rotation.as_matrix(), rotation.apply(a(POINTS[:4])), rotation.inv().as_rotvec()


FILTERS = {
    "gaussian_filter": (1.0,),
    "uniform_filter": (3,),
    "median_filter": (3,),
    "maximum_filter": (3,),
    "sobel": (),
    "laplace": (),
    "zoom": (2,),
    "shift": ((0.5, 1),),
    "rotate": (30,),
    "grey_erosion": (3,),
}

RETURNS_OURS = {
    **{f"ndimage.{name}": image(name, *parameters) for name, parameters in FILTERS.items()},
    "ndimage.binary_erosion": image("binary_erosion", values=MASK),
    "ndimage.distance_transform_edt": image("distance_transform_edt", values=MASK),
    "ndimage.label": lambda a: ndimage.label(a(MASK))[0],
    "ndimage.convolve": lambda a: ndimage.convolve(a(IMAGE), a(IMAGE[:3, :3])),
    "ndimage.map_coordinates": lambda a: ndimage.map_coordinates(a(IMAGE), a([[1.5, 2.0], [3.2, 4.0]]), order=1),
    "ndimage.sum_labels": lambda a: ndimage.sum_labels(a(IMAGE), a(MASK.astype(int)), a([0, 1])),
    "cluster.vq.whiten": lambda a: cluster.vq.whiten(a(POINTS)),
    "cluster.vq.vq": lambda a: cluster.vq.vq(a(POINTS), a(POINTS[:3])),
    "cluster.vq.kmeans2": lambda a: cluster.vq.kmeans2(a(POINTS), a(POINTS[:3]), minit="matrix"),
    "cluster.hierarchy.linkage": linkage,
    "cluster.hierarchy.fcluster": lambda a: cluster.hierarchy.fcluster(linkage(a), 3, "maxclust"),
    "cluster.hierarchy.cophenet": lambda a: cluster.hierarchy.cophenet(linkage(a)),
    "integrate.trapezoid": lambda a: integrate.trapezoid(a(Y), a(X)),
    "integrate.cumulative_trapezoid": lambda a: integrate.cumulative_trapezoid(a(Y), a(X)),
    "integrate.cumulative_simpson": lambda a: integrate.cumulative_simpson(a(Y), x=a(X)),
    "integrate.romb": lambda a: integrate.romb(a(Y[:9]), 0.5),
    "integrate.tanhsinh": lambda a: integrate.tanhsinh(a.xp.exp, a([0.0, 0.5]), a([1.0, 2.0])).integral,
    "integrate.nsum": lambda a: integrate.nsum(lambda k: 1.0 / k**2, a([1.0]), a([np.inf])).sum,
    "integrate.cubature": lambda a: integrate.cubature(lambda x: a.xp.cos(x[:, 0]), a([0.0]), a([1.0])).estimate,
    "optimize.rosen, rosen_der, rosen_hess": lambda a: [
        f(a(X)) for f in (optimize.rosen, optimize.rosen_der, optimize.rosen_hess)
    ],
    "optimize.elementwise.find_root": lambda a: elementwise.find_root(cube, (a([1.0]), a([2.0]))).x,
    "optimize.elementwise.find_minimum": lambda a: elementwise.find_minimum(cube, (a([0.0]), a([0.5]), a([2.0]))).x,
    "differentiate.derivative": lambda a: differentiate.derivative(a.xp.exp, a(X)).df,
    "differentiate.jacobian": lambda a: differentiate.jacobian(lambda x: a.xp.sin(x) * 2.0, a(X[:3])).df,
    "differentiate.hessian": lambda a: differentiate.hessian(optimize.rosen, a(X[:3])).ddf,
    "constants.convert_temperature": lambda a: constants.convert_temperature(a(X), "Celsius", "Kelvin"),
    **{
        f"interpolate.{name}": interpolated(name)
        for name in ("Akima1DInterpolator", "CubicSpline", "PchipInterpolator", "make_interp_spline")
    },
    "interpolate.RegularGridInterpolator": lambda a: interpolate.RegularGridInterpolator(
        (a(np.arange(9.0)), a(np.arange(11.0))), a(IMAGE)
    )(a([[1.5, 2.5], [3.0, 4.2]])),
    "interpolate.RBFInterpolator": lambda a: interpolate.RBFInterpolator(a(POINTS), a(POINTS[:, 0]))(
        a(POINTS[:4] + 0.1)
    ),
    "spatial.transform.Rotation": rotations,
    "linalg.block_diag": lambda a: linalg.block_diag(a(S), a(S[:2])),
    "linalg.fiedler": lambda a: linalg.fiedler(a(X)),
}
RETURNS_VALUES = {
    "linalg.svd": lambda a: linalg.svd(a(S))[1],
    "linalg.solve": lambda a: linalg.solve(a(S), a(S[0])),
    "linalg.expm": lambda a: linalg.expm(a(S / 50)),
    "linalg.cho_factor": lambda a: np.triu(linalg.cho_factor(a(S))[0]),
    "spatial.distance.cdist": lambda a: spatial.distance.cdist(a(POINTS), a(POINTS[:3])),
    "spatial.cKDTree": lambda a: spatial.cKDTree(a(POINTS)).query(a(POINTS[:3] + 0.1)),
    "spatial.ConvexHull": lambda a: spatial.ConvexHull(a(POINTS)).volume,
    "optimize.minimize": lambda a: optimize.minimize(lambda x: float(((x - 1) ** 2).sum()), a([0.0, 3.0])).fun,
    "optimize.curve_fit": lambda a: optimize.curve_fit(lambda x, k: np.sin(k * x), a(X), a(Y), p0=[0.9])[0],
    "integrate.simpson": lambda a: integrate.simpson(a(Y), x=a(X)),
    "integrate.solve_ivp": lambda a: integrate.solve_ivp(lambda t, y: -y, (0, 1), a([1.0, 2.0])).y,
    "interpolate.interp1d": lambda a: interpolate.interp1d(a(X), a(Y))(a(AT)),
}
