/** Two texts, line by line: what stays, comes and goes. */

export interface DiffLine {
  readonly kind: "same" | "added" | "removed";
  readonly text: string;
}

/** More differing lines than are compared with each other: beyond, all of them go and come. */
const maxCompared = 3_000;

/** The shortest way from one to the other (Myers). */
export function diffLines(before: string, after: string): readonly DiffLine[] {
  const [a, b] = [linesOf(before), linesOf(after)];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const same = (text: string): DiffLine => ({ kind: "same", text });
  const middle = between(a.slice(start, a.length - end), b.slice(start, b.length - end));
  return [...a.slice(0, start).map(same), ...middle, ...a.slice(a.length - end).map(same)];
}

/** Of what is not there, none. */
const linesOf = (text: string): readonly string[] => (text === "" ? [] : text.split("\n"));

function between(a: readonly string[], b: readonly string[]): readonly DiffLine[] {
  const all = (kind: "added" | "removed", lines: readonly string[]): DiffLine[] => lines.map((text) => ({ kind, text }));
  if (a.length + b.length > maxCompared) return [...all("removed", a), ...all("added", b)];
  const most = a.length + b.length;
  const furthest = new Int32Array(2 * most + 2);
  const trace: Int32Array[] = [];
  for (let d = 0; d <= most; d++) {
    trace.push(furthest.slice());
    for (let k = -d; k <= d; k += 2) {
      let x = stepDown(furthest, { k, d, most }) ? (furthest[most + k + 1] as number) : (furthest[most + k - 1] as number) + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++;
      furthest[most + k] = x;
      if (x >= a.length && x - k >= b.length) return back(trace, { a, b, most, d });
    }
  }
  return [];
}

const stepDown = (furthest: Int32Array, { k, d, most }: { readonly k: number; readonly d: number; readonly most: number }): boolean =>
  k === -d || (k !== d && (furthest[most + k - 1] as number) < (furthest[most + k + 1] as number));

function back(
  trace: readonly Int32Array[],
  { a, b, most, d: last }: { readonly a: readonly string[]; readonly b: readonly string[]; readonly most: number; readonly d: number },
): readonly DiffLine[] {
  const lines: DiffLine[] = [];
  let x = a.length;
  let y = b.length;
  for (let d = last; d >= 0; d--) {
    const furthest = trace[d] as Int32Array;
    const k = x - y;
    const isDown = stepDown(furthest, { k, d, most });
    const fromK = isDown ? k + 1 : k - 1;
    const fromX = d === 0 ? 0 : (furthest[most + fromK] as number);
    const fromY = fromX - (d === 0 ? 0 : fromK);
    while (x > fromX && y > fromY && (d === 0 || x > (isDown ? fromX : fromX + 1) || y > (isDown ? fromY + 1 : fromY))) {
      x--;
      y--;
      lines.push({ kind: "same", text: a[x] as string });
    }
    if (d === 0) break;
    if (isDown) lines.push({ kind: "added", text: b[--y] as string });
    else lines.push({ kind: "removed", text: a[--x] as string });
  }
  return lines.reverse();
}

/** Only what differs, with a few lines around it; what is left out is a line of its own. */
export function withContext(lines: readonly DiffLine[], around = 3): readonly (DiffLine | undefined)[] {
  const isNear = (at: number): boolean => lines.slice(Math.max(0, at - around), at + around + 1).some(({ kind }) => kind !== "same");
  const shown: (DiffLine | undefined)[] = [];
  for (const [at, line] of lines.entries()) {
    if (isNear(at)) shown.push(line);
    else if (shown.at(-1) !== undefined || shown.length === 0) shown.push(undefined);
  }
  return shown;
}
