// The share of right calls among all rows, by marks on rows that were drawn at random: what `label --errata` says of gold.csv.

const Z = 1.959963984540054;
const NARROW = 0.02;
// Marks that are made in one sitting.
const SITTING = 20;

/** The logarithm of the gamma function (C. Lanczos, 1964). */
function lnGamma(x) {
  const parts = [76.18009172947146, -86.50532032941677, 24.01409824083091, -1.231739572450155, 0.001208650973866179, -5.395239384953e-6];
  const sum = parts.reduce((sum_, part, at) => sum_ + part / (x + at + 1), 1.000000000190015);
  return (x + 0.5) * Math.log(x + 5.5) - x - 5.5 + Math.log((2.5066282746310005 * sum) / x);
}

/** How probable it is that a beta variable is below x: the continued fraction, by Lentz's method. */
function betaLower(x, a, b) {
  if (x <= 0 || x >= 1) return x <= 0 ? 0 : 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - betaLower(1 - x, b, a);
  let c = 1;
  let d = 1 / (1 - ((a + b) * x) / (a + 1));
  let fraction = d;
  for (let m = 1; m < 500; m += 1) {
    for (const term of [(m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m)), (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1))]) {
      d = 1 / (1 + term * d);
      c = 1 + term / c;
      fraction *= c * d;
    }
    if (Math.abs(c * d - 1) < 1e-14) break;
  }
  return (Math.exp(a * Math.log(x) + b * Math.log1p(-x) + lnGamma(a + b) - lnGamma(a) - lnGamma(b)) * fraction) / a;
}

/** Where a growing function reaches a value. */
function reaches(value, low, high, of) {
  for (let step = 0; step < 100; step += 1) {
    const middle = (low + high) / 2;
    if (of(middle) < value) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

const betaQuantile = (p, a, b) => (a <= 0 ? 0 : b <= 0 ? 1 : reaches(p, 0, 1, (x) => betaLower(x, a, b)));

/** Wilson's interval, its ends moved outwards where few successes or failures make it too short. */
function cautiousInterval(share, n) {
  const middle = share + (Z * Z) / (2 * n);
  const reach = Z * Math.sqrt((share * (1 - share)) / n + (Z * Z) / (4 * n * n));
  const whole = 1 + (Z * Z) / n;
  const [right, wrong] = [share * n, (1 - share) * n];
  const low = Math.min(Math.max((middle - reach) / whole, 0), share);
  const high = Math.max(Math.min((middle + reach) / whole, 1), share);
  return [right < 15 ? Math.min(low, betaQuantile(0.05, right, wrong + 1)) : low, wrong < 15 ? Math.max(high, betaQuantile(0.95, right + 1, wrong)) : high];
}

/** The share of right calls among rows of which `counts` have each label; each mark says what is right and the row's label. Null
    without marks. How many of the rows of a label are right is known from the marks on such rows, how many rows have it from all. */
function drawnShare(marks, counts) {
  if (!marks.length) return null;
  const rows = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const pooled = marks.filter(({ right }) => right).length / marks.length;
  const kinds = [...counts].filter(([, count]) => count > 0).map(([label, count]) => {
    const mine = marks.filter((mark) => mark.label === label);
    return { share: count / rows, marks: mine.length, right: mine.length ? mine.filter(({ right }) => right).length / mine.length : pooled };
  });
  /** The interval when there are so many times as many marks. */
  const interval = (times) => {
    const open = 1 - (marks.length * times) / rows;
    const reach = (upwards) => Math.hypot(...kinds.map((kind) => {
      const known = kind.marks > 0 ? kind.marks * times : kind.share * (times - 1) * marks.length;
      if (open <= 1e-12) return 0;
      const [low, high] = known > 0 ? cautiousInterval(kind.right, known / open) : [0, 1];
      return kind.share * (upwards ? high - kind.right : kind.right - low);
    }));
    return [Math.max(value - reach(false), 0), Math.min(value + reach(true), 1)];
  };
  const value = kinds.reduce((sum, { share, right }) => sum + share * right, 0);
  const [low, high] = interval(1);
  const reach = (more) => {
    const [from, to] = interval(Math.min(marks.length + more, rows) / marks.length);
    return Math.min(to - from, high - low) / 2;
  };
  let [short, enough] = [0, rows - marks.length];
  if (reach(0) <= NARROW) enough = 0;
  while (enough - short > 1) {
    const middle = (short + enough) >> 1;
    if (reach(middle) <= NARROW) enough = middle;
    else short = middle;
  }
  // Few marks that all say the same show no variance, and so not what more of them would bring.
  const foreseen = marks.length >= SITTING || marks.some(({ right }) => right !== marks[0].right);
  return { value, low, high, marks: marks.length, reach, needed: enough, foreseen };
}
