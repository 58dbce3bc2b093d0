"""Metrics of scored requests with pandas and scikit-learn; the peer of bench/peers/metrics-peer.ts.

usage: python3 metrics_sklearn.py COLUMNS RECORDS
COLUMNS: little-endian columns one after the other: confidence f8, right u1, in_scope u1, tier u1, workflow i4.
Prints one JSON object: seconds, values, versions.
"""
import json
import sys
import time

import numpy as np
import pandas as pd
import sklearn
from sklearn.calibration import calibration_curve
from sklearn.metrics import brier_score_loss, log_loss, roc_auc_score

path, records = sys.argv[1], int(sys.argv[2])
started = time.perf_counter()
with open(path, "rb") as file:
    frame = pd.DataFrame(
        {
            name: np.frombuffer(file.read(records * np.dtype(kind).itemsize), dtype=kind)
            for name, kind in [
                ("confidence", "<f8"),
                ("right", "u1"),
                ("in_scope", "u1"),
                ("tier", "u1"),
                ("workflow", "<i4"),
            ]
        }
    )

confidence, right, in_scope = (frame[name].to_numpy() for name in ("confidence", "right", "in_scope"))
accuracy, stated = calibration_curve(right, confidence, n_bins=10)
counts = np.bincount(np.searchsorted(np.linspace(0, 1, 11)[1:-1], confidence), minlength=10)
occupied = counts[counts > 0]
frame["routed"] = frame["confidence"] >= 0.5
frame["wrong"] = frame["routed"] & (frame["right"] == 0)
by_workflow = frame.groupby("workflow")["right"].agg(["size", "sum"])
by_tier = frame.groupby("tier")[["routed", "wrong"]].sum()
values = {
    "auroc": roc_auc_score(in_scope, confidence),
    "brier": brier_score_loss(right, confidence),
    "log_loss": log_loss(right, confidence),
    "ece": float(np.sum(occupied * np.abs(accuracy - stated)) / records),
    "mean_accuracy_of_workflows": float((by_workflow["sum"] / by_workflow["size"]).mean()),
    "mean_risk_of_tiers": float((by_tier["wrong"] / by_tier["routed"]).mean()),
}
seconds = time.perf_counter() - started
versions = {"pandas": pd.__version__, "scikit-learn": sklearn.__version__, "numpy": np.__version__}
print(json.dumps({"seconds": seconds, "values": values, "versions": versions}))
