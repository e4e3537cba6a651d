"""The table of the special functions: those that both SciPy and CuPy have, with SciPy's names of the parameters."""

__all__ = ["table"]

_ONE_OPERAND = (
    "cbrt cosdg cosm1 cotdg digamma ellipk ellipkm1 entr erf erfc erfcinv erfcx erfinv exp1 exp10 exp2 expi expit "
    "expm1 exprel gamma gammaln gammasgn i0 i0e i1 i1e j0 j1 k0 k0e k1 k1e log1p log_expit log_ndtr loggamma logit "
    "ndtr ndtri psi rgamma sinc sindg tandg y0 y1 zetac"
)
"""Functions ``(x: Array, /) -> Array``."""

_SEVERAL_OPERANDS = """
bdtr k n p
bdtrc k n p
bdtri k n y
beta a b
betainc a b x
betaincinv a b y
betaln a b
binom n k
boxcox x lmbda
boxcox1p x lmbda
chdtr v x
chdtrc v x
chdtri v p
ellipeinc phi m
ellipkinc phi m
expn n x
fdtr dfn dfd x
fdtrc dfn dfd x
fdtri dfn dfd p
gammainc a x
gammaincc a x
gammainccinv a y
gammaincinv a y
gdtr a b x
gdtrc a b x
huber delta r
inv_boxcox y lmbda
inv_boxcox1p y lmbda
kl_div x y
lpmv m v x
nbdtr k n p
nbdtrc k n p
nbdtri k n y
pdtr k m
pdtrc k m
pdtri k y
poch z m
pseudo_huber delta r
radian d m s
rel_entr x y
sph_harm_y n m theta phi
stdtr df t
wright_bessel a b x
xlog1py x y
xlogy x y
yn n x
"""
"""Functions of operands by position, each of which is ``Array | Scalar``; they return an array."""

_OTHERS = """
ellipj(u: Array | Scalar, m: Array | Scalar, /) -> tuple[Array, Array, Array, Array]
lambertw(z: Array, k: Array | int = 0, tol: float = 1e-8) -> Array
log_softmax(x: Array, axis: Axis = None) -> Array
multigammaln(a: Array, d: Array | int) -> Array
polygamma(n: Array | Scalar, x: Array | Scalar) -> Array
shichi(x: Array, /) -> tuple[Array, Array]
sici(x: Array, /) -> tuple[Array, Array]
softmax(x: Array, axis: Axis = None) -> Array
spherical_yn(n: Array | Scalar, z: Array | Scalar, derivative: bool = False) -> Array
zeta(x: Array | Scalar, q: Array | Scalar | None = None) -> Array
"""


def table() -> str:
    """Return the table, with one signature on each line."""
    rows = [f"{name}(x: Array, /) -> Array" for name in _ONE_OPERAND.split()]
    for line in _SEVERAL_OPERANDS.splitlines()[1:]:
        name, *operands = line.split()
        rows.append(f"{name}({', '.join(f'{each}: Array | Scalar' for each in operands)}, /) -> Array")
    return "\n".join(rows) + _OTHERS
