"""scikit-learn, with ``array_api_dispatch``."""

import numpy as np
import sklearn
from sklearn import discriminant_analysis, linear_model, metrics, mixture, model_selection, pipeline, preprocessing
from sklearn.calibration import CalibratedClassifierCV
from sklearn.decomposition import PCA
from sklearn.kernel_approximation import Nystroem
from sklearn.naive_bayes import GaussianNB

sklearn.set_config(array_api_dispatch=True)
rng = np.random.default_rng(6)
X = rng.normal(size=(60, 4)) @ rng.normal(size=(4, 4))
CLASSES = rng.integers(0, 3, 60)
BINARY = (X[:, 0] + 0.3 * rng.normal(size=60) > 0).astype(int)
TARGET = X @ np.asarray([1.0, -2.0, 0.5, 0.0]) + 0.1 * rng.normal(size=60)
SCORES = rng.uniform(size=60)


def scaled(scaler, values=X):
    """Return a function that gives what a transformer makes of the values, and of its result where that is possible."""

    def run(a):
        fitted = sklearn.clone(scaler).fit(a(values))
        changed = fitted.transform(a(values))
        back = fitted.inverse_transform(changed) if hasattr(fitted, "inverse_transform") else changed
        return changed, back

    return run


def components(solver):
    def run(a):
        pca = PCA(3, svd_solver=solver, random_state=0).fit(a(X))
        changed = pca.transform(a(X))
        return pca.explained_variance_, a.xp.abs(pca.components_), a.xp.abs(changed), pca.inverse_transform(changed)

    return run


def predicted(estimator, target, *methods):
    """Return a function that gives what a fitted estimator says about the data."""

    def run(a):
        fitted = sklearn.clone(estimator).fit(a(X), a(target))
        return [getattr(fitted, method)(a(X)) for method in methods or ("predict",)]

    return run


def metric(name, first, second, **options):
    return lambda a: getattr(metrics, name)(a(first), a(second), **options)


def pairwise(name):
    return lambda a: getattr(metrics.pairwise, name)(a(X), a(X[:5] + 0.5))


def mixed(a):
    means = a(X[:2])
    model = mixture.GaussianMixture(
        2,
        init_params="random",
        random_state=0,
        means_init=means,
        weights_init=a([0.5, 0.5]),
        precisions_init=a(np.stack([np.eye(4)] * 2)),
    )
    model.fit(a(X))
    return model.means_, model.covariances_, model.predict(a(X))


def split(a):
    return model_selection.train_test_split(a(X), a(CLASSES), random_state=0)


def piped(a):
    steps = pipeline.make_pipeline(preprocessing.StandardScaler(), PCA(2, svd_solver="full"), linear_model.Ridge())
    return steps.fit(a(X), a(TARGET)).predict(a(X))


RETURNS_OURS = {
    **{f"PCA, {solver}": components(solver) for solver in ("full", "covariance_eigh", "randomized")},
    "StandardScaler": scaled(preprocessing.StandardScaler()),
    "MinMaxScaler": scaled(preprocessing.MinMaxScaler()),
    "MaxAbsScaler": scaled(preprocessing.MaxAbsScaler()),
    "Normalizer": scaled(preprocessing.Normalizer()),
    "Binarizer": scaled(preprocessing.Binarizer()),
    "KernelCenterer": scaled(preprocessing.KernelCenterer(), X @ X.T),
    "PolynomialFeatures": scaled(preprocessing.PolynomialFeatures(2)),
    "LabelEncoder": scaled(preprocessing.LabelEncoder(), CLASSES),
    "Nystroem": lambda a: Nystroem(n_components=60, random_state=0).fit_transform(a(X)),
    "Ridge": predicted(linear_model.Ridge(solver="svd"), TARGET),
    "RidgeCV": predicted(linear_model.RidgeCV(), TARGET),
    "RidgeClassifierCV": predicted(linear_model.RidgeClassifierCV(), BINARY),
    "LinearDiscriminantAnalysis": predicted(
        discriminant_analysis.LinearDiscriminantAnalysis(), BINARY, "predict", "predict_proba", "transform"
    ),
    "LogisticRegression": predicted(linear_model.LogisticRegression(), BINARY, "predict"),
    "PoissonRegressor": lambda a: linear_model.PoissonRegressor().fit(a(X), a(np.abs(TARGET))).predict(a(X)) > 0,
    "GaussianNB": predicted(GaussianNB(), CLASSES, "predict", "predict_proba"),
    "GaussianMixture": mixed,
    "make_pipeline": piped,
    "train_test_split": split,
    **{
        f"metrics.pairwise.{name}": pairwise(name)
        for name in [
            "cosine_similarity",
            "euclidean_distances",
            "laplacian_kernel",
            "linear_kernel",
            "manhattan_distances",
            "polynomial_kernel",
            "rbf_kernel",
            "sigmoid_kernel",
        ]
    },
    "metrics.pairwise.additive_chi2_kernel": lambda a: metrics.pairwise.additive_chi2_kernel(
        a(np.abs(X)), a(np.abs(X[:5]))
    ),
    "metrics.confusion_matrix": lambda a: a.xp.asarray(metrics.confusion_matrix(a(CLASSES), a(np.roll(CLASSES, 1)))),
}
RETURNS_VALUES = {
    **{
        f"metrics.{name}": metric(name, TARGET, TARGET + 0.1 * X[:, 1])
        for name in [
            "d2_tweedie_score",
            "explained_variance_score",
            "max_error",
            "mean_absolute_error",
            "mean_squared_error",
            "mean_pinball_loss",
            "mean_absolute_percentage_error",
            "median_absolute_error",
            "r2_score",
            "root_mean_squared_error",
        ]
    },
    **{
        f"metrics.{name}": metric(name, BINARY, np.roll(BINARY, 1))
        for name in [
            "accuracy_score",
            "balanced_accuracy_score",
            "cohen_kappa_score",
            "f1_score",
            "hamming_loss",
            "jaccard_score",
            "matthews_corrcoef",
            "precision_score",
            "recall_score",
            "zero_one_loss",
        ]
    },
    "metrics.log_loss": metric("log_loss", BINARY, SCORES),
    "metrics.brier_score_loss": metric("brier_score_loss", BINARY, SCORES),
    "metrics.roc_auc_score": metric("roc_auc_score", BINARY, SCORES),
    "metrics.roc_curve": lambda a: metrics.roc_curve(a(BINARY), a(SCORES)),
    "metrics.calinski_harabasz_score": lambda a: metrics.calinski_harabasz_score(a(X), a(CLASSES)),
    "cross_val_score": lambda a: model_selection.cross_val_score(
        linear_model.Ridge(solver="svd"), a(X), a(TARGET), scoring="r2"
    ),
    "CalibratedClassifierCV": lambda a: (
        CalibratedClassifierCV(discriminant_analysis.LinearDiscriminantAnalysis(), method="temperature", ensemble=False)
        .fit(a(X), a(BINARY))
        .predict(a(X))
    ),
}
