/**
 * Versions of one resource can be compared where the server numbers them: decimal integers of any length.
 * @see https://github.com/kubernetes/enhancements/tree/master/keps/sig-api-machinery/5504-comparable-resource-version
 */

const decimal = /^[1-9][0-9]*$/;

/** Whether the version is a decimal integer, so that `compareVersions` can order it. */
export const isComparable = (version: string | undefined): version is string => version !== undefined && decimal.test(version);

/** Negative when `a` is older; undefined when they cannot be compared. Equal texts are equal, whatever they are. */
export function compareVersions(a: string | undefined, b: string | undefined): number | undefined {
  if (a === undefined || b === undefined) return undefined;
  if (a === b) return 0;
  if (!decimal.test(a) || !decimal.test(b)) return undefined;
  return a.length === b.length ? (a < b ? -1 : 1) : a.length - b.length;
}

export const isOlder = (a: string | undefined, b: string | undefined): boolean => (compareVersions(a, b) ?? 0) < 0;
