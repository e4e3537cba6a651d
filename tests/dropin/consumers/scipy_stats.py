"""SciPy: statistics."""

import warnings

import numpy as np
from scipy import stats

rng = np.random.default_rng(3)
X = rng.uniform(0.5, 4, (4, 30))
Y = rng.normal(2, 1, (4, 30))
COUNTS = rng.integers(5, 20, (3, 8)).astype(float)
P = rng.uniform(0.01, 0.99, 12)


def of(name, **options):
    return lambda a: getattr(stats, name)(a(X), axis=-1, **options)


def test(name, **options):
    """Return a function that gives the statistic and the p-value of a hypothesis test of two samples."""
    return lambda a: both(getattr(stats, name)(a(X), a(Y), axis=-1, **options))


def test_of_one(name, *parameters):
    return lambda a: both(getattr(stats, name)(a(X), *parameters, axis=-1))


def both(result):
    return result.statistic, result.pvalue


def described(a):
    result = stats.describe(a(X), axis=1)
    return result.minmax, result.mean, result.variance, result.skewness, result.kurtosis


def correlation(a):
    interval = stats.pearsonr(a(X), a(Y), axis=-1).confidence_interval()
    return interval.low, interval.high


def bootstrapped(a):
    result = stats.bootstrap(
        (a(X[0]),),
        lambda x, axis: a.xp.mean(x, axis=axis),
        n_resamples=50,
        rng=np.random.default_rng(0),
        method="basic",
    )
    return result.standard_error


warnings.filterwarnings("ignore", module="scipy")
MOMENTS = "gmean hmean kurtosis moment sem skew variation zscore gzscore tmean tvar tstd tmin tmax"
TESTS_OF_ONE = "jarque_bera kurtosistest normaltest skewtest"
TESTS_OF_TWO = (
    "bartlett f_oneway kruskal levene mannwhitneyu pearsonr ttest_ind ttest_rel wilcoxon brunnermunzel fligner"
)

RETURNS_OURS = {
    **{name: of(name) for name in MOMENTS.split()},
    **{name: test_of_one(name) for name in TESTS_OF_ONE.split()},
    **{name: test(name) for name in TESTS_OF_TWO.split()},
    "circmean, circvar, circstd": lambda a: [f(a(X), axis=-1) for f in (stats.circmean, stats.circvar, stats.circstd)],
    "chisquare": lambda a: both(stats.chisquare(a(COUNTS))),
    "power_divergence": lambda a: both(stats.power_divergence(a(COUNTS), lambda_="log-likelihood")),
    "combine_pvalues": lambda a: both(stats.combine_pvalues(a(P))),
    "false_discovery_control": lambda a: stats.false_discovery_control(a(P)),
    "describe": described,
    "differential_entropy": of("differential_entropy"),
    "directional_stats": lambda a: stats.directional_stats(a(X.T)).mean_direction,
    "entropy": lambda a: stats.entropy(a(X), a(np.abs(Y)), axis=-1),
    "iqr": of("iqr"),
    "kstat, kstatvar": lambda a: [stats.kstat(a(X), 3, axis=-1), stats.kstatvar(a(X), 2, axis=-1)],
    "lmoment": lambda a: stats.lmoment(a(X), axis=-1),
    "median_abs_deviation": of("median_abs_deviation"),
    "mode": lambda a: tuple(stats.mode(a(np.round(X)), axis=-1)),
    "monte_carlo_test": lambda a: (
        stats.monte_carlo_test(
            a(X[0]), lambda size: a(np.full(size, 0.5)), lambda x, axis: a.xp.mean(x, axis=axis), n_resamples=9
        ).statistic
    ),
    "bootstrap": bootstrapped,
    "pearsonr: confidence interval": correlation,
    "pmean": lambda a: stats.pmean(a(X), 2, axis=-1),
    "quantile": lambda a: stats.quantile(a(X), a(np.asarray([0.25, 0.5])), axis=-1),
    "rankdata": of("rankdata"),
    "trim_mean": lambda a: stats.trim_mean(a(X), 0.1, axis=-1),
    "ttest_1samp": test_of_one("ttest_1samp", 2.0),
    "zmap": lambda a: stats.zmap(a(X), a(Y), axis=-1),
}
RETURNS_VALUES = {
    "boxcox_llf": lambda a: stats.boxcox_llf(0.5, a(X[0])),
    "linregress": lambda a: stats.linregress(a(X[0]), a(Y[0])).slope,
    "spearmanr": lambda a: stats.spearmanr(a(X[0]), a(Y[0])).statistic,
    "norm.cdf": lambda a: stats.norm.cdf(a(Y)),
    "norm.fit": lambda a: stats.norm.fit(a(Y[0])),
    "gaussian_kde": lambda a: stats.gaussian_kde(a(Y[0]))(a(X[0])),
    "binned_statistic": lambda a: stats.binned_statistic(a(X[0]), a(Y[0]), bins=4).statistic,
}
