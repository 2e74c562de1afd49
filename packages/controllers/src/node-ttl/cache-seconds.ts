interface Step {
  readonly from: number;
  readonly to: number;
  readonly seconds: number;
}

/** They overlap, so that a cluster on the border does not waver. */
const steps: readonly Step[] = [
  { from: 0, to: 100, seconds: 0 },
  { from: 90, to: 500, seconds: 15 },
  { from: 450, to: 1000, seconds: 30 },
  { from: 900, to: 2000, seconds: 60 },
  { from: 1800, to: Number.POSITIVE_INFINITY, seconds: 300 },
];

/** How long kubelets may keep Secrets and ConfigMaps before they look again, in a cluster of so many Nodes; `before` is what it was. */
export function cacheSeconds(nodes: number, before = 0): number {
  const current = steps.find(({ seconds }) => seconds === before);
  if (current !== undefined && nodes >= current.from && nodes <= current.to) return before;
  const growing = current === undefined || nodes > current.to;
  const fits = steps.filter(({ from, to }) => nodes >= from && nodes <= to);
  return (growing ? fits.at(0) : fits.at(-1))?.seconds ?? 0;
}
