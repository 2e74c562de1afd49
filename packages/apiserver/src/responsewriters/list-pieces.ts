/** Lists that are not written as they are stored, made piece by piece: others are served in between. */
import { type KubeObject, type ListMeta, stringifyJson, stringifyYaml } from "@coxswain/machinery";
import type { ProtobufList } from "../negotiation/protobuf.ts";
import type { EventLoop } from "../storage/event-loop.ts";

/** A list of objects, or a Table of rows. */
export interface ListParts {
  /** All but the array, which comes last. */
  readonly head: KubeObject & { readonly metadata: ListMeta };
  readonly key: "items" | "rows";
  readonly items: Iterable<object>;
}

/** How many objects are made between two turns of the event loop. */
const perPiece = 50;
/** What a piece counts for where several lists take turns. */
const pieceBytes = 64 * 1024;

/** As `JSON.stringify` with an indentation of two writes the whole. */
export function* indentedText({ head, key, items }: ListParts): Generator<string> {
  let before = `${stringifyJson(head, 2).slice(0, -2)},\n  ${JSON.stringify(key)}: [`;
  let isEmpty = true;
  for (const item of items) {
    yield `${before}\n    ${stringifyJson(item, 2).replaceAll("\n", "\n    ")}`;
    before = ",";
    isEmpty = false;
  }
  yield isEmpty ? `${before}]\n}` : "\n  ]\n}";
}

/** As the whole is written, with its keys in order. */
export async function yamlText({ head, key, items }: ListParts, eventLoop: EventLoop): Promise<string> {
  const sorted = Object.entries<unknown>(head);
  const part = async (entries: [string, unknown][]): Promise<string> =>
    entries.length === 0 ? "" : stringifyYaml(Object.fromEntries(entries));
  const texts = [await part(sorted.filter(([name]) => name < key))];
  let isEmpty = true;
  for await (const some of pieces(items, eventLoop)) {
    texts.push(`${isEmpty ? `${key}:\n` : ""}${await stringifyYaml(some)}`);
    isEmpty = false;
  }
  if (isEmpty) texts.push(`${key}: []\n`);
  return texts.join("") + (await part(sorted.filter(([name]) => name > key)));
}

export async function protobufBytes(list: ProtobufList, { head, items }: ListParts, eventLoop: EventLoop): Promise<Uint8Array> {
  const messages: Uint8Array[] = [];
  for await (const some of pieces(items, eventLoop)) for (const item of some) messages.push(list.encodeItem({ ...item }));
  return list.finish(head.metadata ?? {}, messages);
}

async function* pieces<T>(items: Iterable<T>, eventLoop: EventLoop): AsyncGenerator<readonly T[]> {
  let some: T[] = [];
  for (const item of items) {
    some.push(item);
    if (some.length < perPiece) continue;
    yield some;
    some = [];
    await eventLoop.yieldFor(pieceBytes);
  }
  if (some.length > 0) yield some;
}
