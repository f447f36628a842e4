"""Makes tests/cases/statistics/reference.json: what SciPy, scikit-learn, statsmodels and ppi-python say.

    pip install scipy scikit-learn statsmodels ppi-python
    python core/tests/statistics/reference.py > tests/cases/statistics/reference.json
"""

import json
import sys
import warnings
from importlib.metadata import version

import numpy as np
from ppi_py import ppi_mean_ci, ppi_mean_pointestimate
from scipy import stats
from sklearn import metrics
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.inter_rater import fleiss_kappa
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

warnings.simplefilter("ignore")
rng = np.random.default_rng(20)
PROBABILITIES = [1e-12, 1e-6, 0.001, 0.025, 0.2, 0.5, 0.7, 0.95, 0.975, 0.9999]


def finite(value):
    return float(value) if np.isfinite(value) else None


def quantiles():
    freedoms = [0.1, 0.5, 1, 1.7, 2, 4, 9.5, 30, 200, 999, 1001, 50000]
    shapes = [(0.5, 0.5), (1, 3), (3.2, 0.4), (9, 2), (45, 6), (400.5, 1200), (15, 60000)]
    tails = [1e-8, 0.1, 1, 5, 20, 150]
    return {
        "normal": [(p, stats.norm.ppf(p)) for p in PROBABILITIES],
        "t": [(p, v, stats.t.ppf(p, v)) for p in PROBABILITIES[2:] for v in freedoms],
        "beta": [(p, a, b, stats.beta.ppf(p, a, b)) for p in PROBABILITIES[2:-1] for a, b in shapes],
        "chi_squared": [(x, v, stats.chi2.sf(x, v)) for x in tails for v in [1, 2, 7, 50]],
        "f": [(x, a, b, stats.f.sf(x, a, b)) for x in tails for a, b in [(1, 5), (7, 21.5), (9, 4000)]],
        "binomial": [
            (k, n, p, stats.binom.cdf(k, n, p))
            for n in [1, 12, 300, 65000]
            for p in [0.001, 0.5, 0.9]
            for k in sorted({0, n // 3, int(n * p), n})
        ],
    }


def tables():
    made = [tuple(int(c) for c in rng.integers(0, top, 4)) for top in [3, 10, 200, 20000] for _ in range(8)]
    made += [(5, 0, 0, 0), (0, 5, 0, 0), (0, 0, 7, 0), (0, 0, 0, 7), (3, 2, 0, 0), (3, 0, 2, 0), (4, 0, 0, 6), (0, 4, 6, 0)]
    for tp, fal_n, fal_p, tn in made:
        if tp + fal_n + fal_p + tn == 0:
            continue
        gold = np.repeat([1, 1, 0, 0], [tp, fal_n, fal_p, tn])
        said = np.repeat([1, 0, 1, 0], [tp, fal_n, fal_p, tn])
        nan = {"zero_division": np.nan}
        both = gold.min() != gold.max()
        figures = {
            "accuracy": metrics.accuracy_score(gold, said),
            "balanced_accuracy": metrics.balanced_accuracy_score(gold, said) if both else np.nan,
            "kappa": metrics.cohen_kappa_score(gold, said, labels=[0, 1]),
            # scikit-learn says 0 where the coefficient is not defined.
            "mcc": metrics.matthews_corrcoef(gold, said) if both and said.min() != said.max() else np.nan,
        }
        for name, label in [("correct", 1), ("incorrect", 0)]:
            figures[f"precision_{name}"] = metrics.precision_score(gold, said, pos_label=label, **nan)
            figures[f"recall_{name}"] = metrics.recall_score(gold, said, pos_label=label, **nan)
            figures[f"f1_{name}"] = metrics.f1_score(gold, said, pos_label=label, **nan)
        yield {"table": [tp, fal_n, fal_p, tn], "figures": {k: finite(v) for k, v in figures.items()}}


def scores():
    for n, digits in [(6, 1), (40, 1), (40, 6), (300, 2)]:
        gold = rng.random(n) < 0.4
        gold[0], gold[1] = True, False
        score = np.round(np.clip(0.5 + 0.25 * (gold - 0.5) + 0.25 * rng.standard_normal(n), 0, 1), digits)
        bins = np.minimum((score * 10).astype(int), 9)
        yield {
            "scores": score.tolist(),
            "gold": gold.tolist(),
            "auc": metrics.roc_auc_score(gold, score),
            "brier": metrics.brier_score_loss(gold, score),
            "ece": sum(abs((score - gold)[bins == b].sum()) for b in range(10)) / n,
        }


def flips():
    """The sign-flip test over clusters' net differences."""
    for size, spread in [(3, 2), (6, 3), (9, 4), (12, 5)]:
        net = rng.integers(-spread, spread + 2, size)
        found = stats.permutation_test(
            (net,), lambda x, axis: x.sum(axis=axis), permutation_type="samples", n_resamples=np.inf, alternative="two-sided"
        )
        # SciPy doubles the smaller tail, which for a symmetric distribution is the share that is as far from 0.
        yield {"net": net.tolist(), "p": min(float(found.pvalue), 1.0)}


def repeats():
    for rows, labels in [(10, 3), (60, 2), (60, 5)]:
        chance = rng.beta(0.6, 0.4, rows)
        said = rng.random((rows, labels)) < chance[:, None]
        counts = np.stack([said.sum(1), labels - said.sum(1)], axis=1)
        agree = ((counts * (counts - 1)).sum(1) / (labels * (labels - 1))).mean()
        yield {"labels": said.tolist(), "kappa": fleiss_kappa(counts), "flips": 1 - agree}


def powers():
    """The exact power of McNemar's exact test at 5 %, summed over all numbers of discordant rows."""
    for rows, discordance, difference in [(100, 0.3, 0.15), (300, 0.2, 0.08), (1000, 0.1, 0.03), (1000, 0.25, 0.03), (3000, 0.2, 0.02)]:
        share = (discordance + difference) / 2 / discordance
        power = 0.0
        for m in range(rows + 1):
            weight = stats.binom.pmf(m, rows, discordance)
            if weight > 1e-12:
                k = np.arange(m + 1)
                p = np.minimum(1, 2 * stats.binom.cdf(np.minimum(k, m - k), m, 0.5))
                power += weight * stats.binom.pmf(k[p <= 0.05], m, share).sum()
        yield {"rows": rows, "discordance": discordance, "difference": difference, "power": power}


def powered():
    n, others = 600, 6000
    gold = rng.random(n + others) < 0.7
    said = np.where(rng.random(n + others) < 0.85, gold, ~gold)
    y, f, unlabelled = gold[:n].astype(float), said[:n].astype(float), said[n:].astype(float)
    low, high = ppi_mean_ci(y, f, unlabelled, alpha=0.05)
    table = [int((gold[:n] & said[:n]).sum()), int((gold[:n] & ~said[:n]).sum()), int((~gold[:n] & said[:n]).sum()), int((~gold[:n] & ~said[:n]).sum())]
    return {
        "table": table,
        "passed": int(unlabelled.sum()),
        "others": others,
        "value": float(ppi_mean_pointestimate(y, f, unlabelled)[0]),
        "low": float(low[0]),
        "high": float(high[0]),
    }


def holm():
    for p in [[0.01, 0.04, 0.03, 0.005], rng.random(12).round(4).tolist(), (rng.random(9) ** 4).round(6).tolist(), [0.02, 0.02, 0.02]]:
        yield {"p": p, "adjusted": multipletests(p, method="holm")[1].tolist()}


def mcnemars():
    for a, b in [(0, 1), (3, 9), (10, 10), (25, 60), (480, 530), (0, 40)]:
        yield {"only_a": a, "only_b": b, "p": min(1.0, float(mcnemar([[0, a], [b, 0]], exact=True).pvalue))}


json.dump(
    {
        "versions": {name: version(name) for name in ["scipy", "scikit-learn", "statsmodels", "ppi-python"]},
        "quantiles": quantiles(),
        "tables": list(tables()),
        "scores": list(scores()),
        "wilson": [(x, n, *map(float, proportion_confint(x, n, method="wilson"))) for n in [1, 7, 50, 1000] for x in sorted({0, 1, n // 2, n})],
        "mcnemar": list(mcnemars()),
        "holm": list(holm()),
        "flips": list(flips()),
        "repeats": list(repeats()),
        "powers": list(powers()),
        "powered": powered(),
    },
    sys.stdout,
    default=float,
)
print()
