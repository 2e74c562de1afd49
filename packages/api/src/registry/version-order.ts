/**
 * Orders API versions by preference: GA, then beta, then alpha, the higher number first; what is no such version comes
 * last, by name.
 * @see https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#version-priority
 */
export function compareVersions(a: string, b: string): number {
  const left = parse(a);
  const right = parse(b);
  if (left === undefined && right === undefined) return a < b ? -1 : a > b ? 1 : 0;
  if (left === undefined) return 1;
  if (right === undefined) return -1;
  return right.stability - left.stability || right.major - left.major || right.minor - left.minor;
}

function parse(version: string): { readonly stability: number; readonly major: number; readonly minor: number } | undefined {
  const match = /^v([1-9]\d*)(?:(alpha|beta)([1-9]\d*))?$/.exec(version);
  if (match === null) return undefined;
  const [, major, stage, minor] = match;
  return { stability: stage === undefined ? 2 : stage === "beta" ? 1 : 0, major: Number(major), minor: Number(minor ?? 0) };
}
