/** The most that a plugin gives a node, before its weight. */
export const maxScore = 100;

/** In place: the largest becomes 100 and the others in proportion, or with `reverse` the other way round. None is negative. */
export function normalizeByLargest(scores: Float64Array, { reverse = false } = {}): void {
  let largest = 0;
  for (const score of scores) if (score > largest) largest = score;
  if (largest === 0) {
    if (reverse) scores.fill(maxScore);
    return;
  }
  for (const [i, score] of scores.entries()) {
    const share = Math.trunc((maxScore * score) / largest);
    scores[i] = reverse ? maxScore - share : share;
  }
}
