/** The index of the first that has a greater revision, in an ascending row; its length when none has. */
export function indexAbove(ascending: readonly { readonly revision: number }[], revision: number): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ascending[middle]!.revision > revision) high = middle;
    else low = middle + 1;
  }
  return low;
}
