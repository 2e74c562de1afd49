/** Paths that rules name: `/healthz`, or with a star at the end for whatever follows. */

/** Whether a path is covered by one of a rule's: itself, or a beginning that ends with `*`. */
export const coversPath = (rulePath: string, path: string): boolean =>
  rulePath === path || (rulePath.endsWith("*") && path.startsWith(withoutStars(rulePath)));

/** What stands before the stars at the end, however many there are. */
export function withoutStars(path: string): string {
  let end = path.length;
  while (path[end - 1] === "*") end--;
  return path.slice(0, end);
}
