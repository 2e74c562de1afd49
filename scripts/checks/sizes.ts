/** A file that is too long answers more than one question. */
export interface SizeFinding {
  readonly file: string;
  readonly lines: number;
  readonly fails: boolean;
}

export const warnLines = 300;
export const failLines = 500;

export function checkSizes(files: ReadonlyMap<string, string>): SizeFinding[] {
  return [...files]
    .map(([file, text]) => ({ file, lines: text.split("\n").length - (text.endsWith("\n") ? 1 : 0) }))
    .filter(({ lines }) => lines > warnLines)
    .map(({ file, lines }) => ({ file, lines, fails: lines > failLines }))
    .sort((a, b) => b.lines - a.lines);
}
