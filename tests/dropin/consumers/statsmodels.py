"""statsmodels: our arrays as data."""

import numpy as np
import statsmodels.api as sm
from statsmodels.nonparametric.smoothers_lowess import lowess
from statsmodels.stats import multitest, weightstats
from statsmodels.tsa import stattools
from statsmodels.tsa.ar_model import AutoReg

rng = np.random.default_rng(12)
X = rng.normal(size=(50, 2))
Y = X @ np.asarray([1.0, -2.0]) + 0.1 * rng.normal(size=50)
POSITIVE = np.abs(Y) + 0.1

RETURNS_VALUES = {
    "OLS": lambda a: sm.OLS(a(Y), sm.add_constant(np.asarray(a(X)))).fit().params,
    "OLS, of arrays": lambda a: sm.OLS(a(Y), a(X)).fit().bse,
    "WLS": lambda a: sm.WLS(a(Y), a(X), weights=a(POSITIVE)).fit().params,
    "GLM": lambda a: sm.GLM(a(POSITIVE), a(X), family=sm.families.Gaussian()).fit().params,
    "Logit": lambda a: sm.Logit(a((Y > 0.5).astype(float)), a(X[:, :1])).fit(disp=0).params,
    "predict": lambda a: sm.OLS(a(Y), a(X)).fit().predict(a(X[:3])),
    "acf": lambda a: stattools.acf(a(Y), nlags=5),
    "adfuller": lambda a: stattools.adfuller(a(Y), maxlag=2)[:2],
    "AutoReg": lambda a: AutoReg(np.asarray(a(Y)), lags=2).fit().params,
    "lowess": lambda a: lowess(a(Y), a(X[:, 0])),
    "multipletests": lambda a: multitest.multipletests(a([0.01, 0.04, 0.3]))[1],
    "DescrStatsW": lambda a: weightstats.DescrStatsW(a(Y), weights=a(POSITIVE)).std,
}
