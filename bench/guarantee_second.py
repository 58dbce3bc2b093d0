"""A second implementation of the guarantee simulation that shares no code with the first: three worlds, the claim about this
catalog, its sequence of targets (docs/adr/0041). For maintainers; no package is needed. Scores are drawn from continuous
distributions here, and true risks are sums over a sample of them.

    python3 bench/guarantee_second.py [repetitions] [workflows]
"""

import bisect
import math
import random
import sys

DELTA = 0.05
LOOSER = (0.5, 0.3, 0.2, 0.15, 0.1, 0.05, 0.02)


def lower_tail(errors, trials, rate):
    """P(Bin(trials, rate) <= errors)."""
    if errors >= trials:
        return 1.0
    log_odds = math.log(rate) - math.log1p(-rate)
    term = trials * math.log1p(-rate)
    total = math.exp(term)
    for k in range(1, errors + 1):
        term += math.log(trials - k + 1) - math.log(k) + log_odds
        total += math.exp(term)
    return min(1.0, total)


def fewest_requests(target, errors):
    """Smallest number of requests that passes with so many errors."""
    low, high = errors, 1
    while lower_tail(errors, high, target) > DELTA:
        low, high = high, high * 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if lower_tail(errors, middle, target) <= DELTA else (middle, high)
    return high


NEEDED = {(t, e): fewest_requests(t, e) for t in (*LOOSER, 0.1) for e in (0, 1, 3)}


def certify(rows, planned):
    """The threshold and the target that are signed, or None. rows: (confidence, wrong)."""
    rows = sorted(rows, reverse=True)
    errors_before = [0]
    for _, wrong in rows:
        errors_before.append(errors_before[-1] + wrong)
    path = []
    for step in range(1, 101):
        threshold = math.floor(rows[math.ceil(step * len(rows) / 100) - 1][0] * 1000) / 1000
        if path and path[-1][0] == threshold:
            continue
        low, high = 0, len(rows)
        while low < high:
            middle = (low + high) // 2
            low, high = (middle + 1, high) if rows[middle][0] >= threshold else (low, middle)
        path.append((threshold, low, errors_before[low]))
    everything = path[-1][1]
    signed = None
    for threshold, routed, errors in path:
        if routed >= 0.6 * everything:
            for target in LOOSER:
                if target <= planned or routed < NEEDED[target, 0]:
                    continue
                if lower_tail(errors, routed, target) > DELTA:
                    return signed
                signed = (threshold, target)
            break
    starts = []
    for allowed in (3, 1, 0):
        at = next((i for i, (_, routed, _) in enumerate(path) if routed >= NEEDED[planned, allowed]), None)
        if at is not None:
            starts.append(at)
    if not starts:
        return signed
    start = next((at for at in starts if path[at][1] <= everything / 2), starts[-1])
    for threshold, routed, errors in path[start:]:
        if lower_tail(errors, routed, planned) > DELTA:
            break
        signed = (threshold, planned)
    return signed


class Scores:
    """A beta distribution of scores; GRID of its quantiles stand for it in true risks."""

    GRID = 500

    def __init__(self, a, b, chance):
        self.a, self.b, self.chance = a, b, chance
        draw = random.Random(1)
        many = sorted(draw.betavariate(a, b) for _ in range(self.GRID * 200))
        self.grid = [many[200 * i + 100] for i in range(self.GRID)]
        self.chances = [chance(score) for score in self.grid]


good = lambda score: 0.6 * (1 - score) ** 1.2
usual = Scores(3, 1.2, good)
wrong_scores, right_scores = Scores(2.2, 2, lambda _: 1.0), Scores(4, 1.1, lambda _: 0.0)
about30 = lambda rng: round(30 * (0.5 + rng.random()))


def beta_binomial(rng):
    share = rng.betavariate(0.8, 2.4)
    return about30(rng), [(share, wrong_scores, 1.0), (1 - share, right_scores, 1.0)]


def gamma_frailty(rng):
    return 30, [(1.0, usual, rng.gammavariate(1, 1))]


def heavy_tail(rng):
    return about30(rng), [(1.0, usual, math.exp(1.5 * rng.gauss(0, 1) - 1.125))]


WORLDS = {"beta-binomial": beta_binomial, "gamma frailty": gamma_frailty, "heavy tail": heavy_tail}


def draw_rows(rng, catalog):
    for requests, parts in catalog:
        for _ in range(requests):
            share, scores, factor = parts[0] if rng.random() < parts[0][0] else parts[-1]
            score = rng.betavariate(scores.a, scores.b)
            yield round(score, 6), rng.random() < min(1.0, factor * scores.chance(score))


def truth(catalog, threshold):
    """Routed share, and wrong share of the routed."""
    routed = wrong = total = 0.0
    for requests, parts in catalog:
        total += requests
        for share, scores, factor in parts:
            first = bisect.bisect_left(scores.grid, threshold)
            weight = requests * share / Scores.GRID
            routed += weight * (Scores.GRID - first)
            wrong += weight * sum(min(1.0, factor * chance) for chance in scores.chances[first:])
    return routed / total, (wrong / routed if routed else 0.0)


def main():
    repetitions = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    workflows = int(sys.argv[2]) if len(sys.argv) > 2 else 52
    for name, workflow in WORLDS.items():
        for planned in (0.05, 0.1):
            rng = random.Random(20)
            broken, coverage = 0, 0.0
            for _ in range(repetitions):
                catalog = [workflow(rng) for _ in range(workflows)]
                signed = certify(list(draw_rows(rng, catalog)), planned)
                if signed is None:
                    continue
                routed, risk = truth(catalog, signed[0])
                coverage += routed
                broken += risk > signed[1] + 1e-6
            print(f"{name}, planned {planned}: {broken} of {repetitions} broken, coverage {coverage / repetitions:.3f}", flush=True)


main()
