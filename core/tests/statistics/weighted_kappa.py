"""Makes tests/cases/statistics/weighted_kappa.json: what scikit-learn's cohen_kappa_score(weights="quadratic") says of random tables.

    pip install scikit-learn
    python core/tests/statistics/weighted_kappa.py > tests/cases/statistics/weighted_kappa.json
"""

import json
import sys
import warnings
from importlib.metadata import version

import numpy as np
from sklearn.metrics import cohen_kappa_score

warnings.simplefilter("ignore")
rng = np.random.default_rng(7)


def tables():
    for grades in [2, 3, 4, 5, 7, 11]:
        for largest in [1, 3, 12, 60]:
            for near in [0.0, 0.7]:
                table = rng.integers(0, largest + 1, (grades, grades))
                # Labels that are mostly near their gold.
                distance = np.abs(np.subtract.outer(range(grades), range(grades)))
                yield np.where(rng.random((grades, grades)) < near * distance / grades, 0, table)
    for grades in [3, 5]:
        empty = np.zeros((grades, grades), int)
        one, row, column = empty.copy(), empty.copy(), empty.copy()
        one[1, 1] = 9
        row[0] = range(1, grades + 1)
        column[:, grades - 1] = 2
        yield from [one, row, column, np.eye(grades, dtype=int) * 4, np.fliplr(np.eye(grades, dtype=int))]


def case(table):
    grades = len(table)
    gold, label = np.indices(table.shape).reshape(2, -1).repeat(table.ravel(), axis=1)
    kappa = cohen_kappa_score(gold, label, labels=list(range(grades)), weights="quadratic")
    return {"table": table.tolist(), "kappa": float(kappa) if np.isfinite(kappa) else None}


cases = ",\n".join(json.dumps(case(table)) for table in tables() if table.sum())
sys.stdout.write(f'{{"scikit-learn": "{version("scikit-learn")}", "cases": [\n{cases}\n]}}\n')
