/** Cutting characters off: patterns such as `/0+$/` take a time that grows with the square of the text. */

/** Without the characters of `cutset` at its end. */
export function trimRight(text: string, cutset: string): string {
  let end = text.length;
  while (end > 0 && cutset.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

/** Without the characters of `cutset` at its beginning. */
export function trimLeft(text: string, cutset: string): string {
  let start = 0;
  while (start < text.length && cutset.includes(text.charAt(start))) start++;
  return text.slice(start);
}
