/** What clients have read, newest last: of a write that breaks an invariant it says what its writer may have known. */
import type { ObservedExchange, Read, ReadObserver } from "../contracts/invariant.ts";
import { headerOf } from "../http/exchange.ts";

/** Reads of one writer that are kept, and writers of whom any are. */
const capacity = { reads: 32, writers: 512 };

export class ReadLog implements ReadObserver {
  /** The one who read last is the last. */
  readonly #readers = new Map<string, Read[]>();

  /** After a request was answered. */
  add({ info, request, query, user, history }: ObservedExchange, newest: number): void {
    // What was is no news, and neither is the rest of a list.
    if (info.kind !== "resource" || info.subresource !== "" || history !== undefined || query.get("continue")) return;
    const { verb, group, resource, namespace, name } = info;
    if (verb !== "get" && verb !== "list" && verb !== "watch") return;
    const asked = Number(query.get("resourceVersionMatch") === "Exact" ? query.get("resourceVersion") : Number.NaN);
    const revision = asked > 0 ? Math.min(asked, newest) : newest;
    const reader = readerOf(user.name, headerOf(request, "user-agent") ?? "");
    const reads = this.#readers.get(reader) ?? [];
    this.#readers.delete(reader);
    this.#readers.set(reader, reads);
    const read = { verb, group, resource, namespace, name };
    const same = reads.findIndex((one) => isSame(one, read));
    // Whoever polls would push all else out.
    if (same >= 0) reads.splice(same, 1);
    else if (reads.length === capacity.reads) reads.shift();
    reads.push({
      ...{ verb, group, resource },
      ...(namespace === "" ? {} : { namespace }),
      ...(name === "" ? {} : { name }),
      ...{ resourceVersion: String(revision), revision },
    });
    if (this.#readers.size > capacity.writers) for (const oldest of this.#readers.keys()) return void this.#readers.delete(oldest);
  }

  /** Oldest first; those that were answered before a revision came to be. */
  of(user: string, userAgent: string, before: number): readonly Read[] {
    return (this.#readers.get(readerOf(user, userAgent)) ?? []).filter(({ revision }) => revision < before);
  }
}

/** As notes of writes have agents. */
const readerOf = (user: string, userAgent: string): string => `${user}\0${userAgent.slice(0, 256)}`;

const isSame = (
  a: Read,
  b: { readonly verb: string; readonly group: string; readonly resource: string; readonly namespace: string; readonly name: string },
) =>
  a.verb === b.verb && a.group === b.group && a.resource === b.resource && (a.namespace ?? "") === b.namespace && (a.name ?? "") === b.name;
