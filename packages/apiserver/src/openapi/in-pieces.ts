/** Documents of a thousand definitions take half a second to make: in pieces, between which others are served. */
import { stringifyJson } from "@coxswain/machinery";

/** Resolves when others have had theirs. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** The items, `size` at a time; others have their turn in between. */
export async function* inPieces<T>(items: Iterable<T>, size: number): AsyncGenerator<readonly T[]> {
  let piece: T[] = [];
  for (const item of items) {
    piece.push(item);
    if (piece.length < size) continue;
    yield piece;
    piece = [];
    await nextTurn();
  }
  if (piece.length > 0) yield piece;
}

/** How many members of a member are written at a time. */
const membersAtATime = 100;

/** An object as JSON. Members that are objects themselves are written in pieces. */
export async function encodeInPieces(value: object): Promise<Uint8Array<ArrayBuffer>> {
  const texts: Buffer[] = [];
  const add = (text: string): unknown => texts.push(Buffer.from(text));
  let before = "{";
  for (const [name, member] of Object.entries(value)) {
    add(`${before}${JSON.stringify(name)}:`);
    before = ",";
    if (typeof member !== "object" || member === null || Array.isArray(member)) {
      add(stringifyJson(member));
      continue;
    }
    let comma = "{";
    for await (const piece of inPieces(Object.entries(member), membersAtATime)) {
      add(`${comma}${stringifyJson(Object.fromEntries(piece)).slice(1, -1)}`);
      comma = ",";
    }
    add(comma === "{" ? "{}" : "}");
  }
  add(before === "{" ? "{}" : "}");
  return Buffer.concat(texts);
}
