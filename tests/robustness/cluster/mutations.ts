/** Changes that make a right history a wrong one, for tests of the checkers; undefined where a history has nothing that they fit. */
import type { Random } from "../../fuzz/harness/random.ts";
import type { Get, History, Operation, Version, Write } from "./history.ts";

export type Mutation = (history: History, random: Random) => History | undefined;

type Put = Extract<Write, { readonly value: string }> & { readonly outcome: { readonly kind: "ok"; readonly revision: number } };
type FoundGet = Get & { readonly outcome: { readonly kind: "ok" } };

export const wrongMutations: Readonly<Record<string, Mutation>> = {
  "a read shows what another write had replaced before": (history, random) =>
    showOther(history, random, (read, put) =>
      putsOf(history).some(
        ({ key, outcome, return: returned }) => key === put.key && outcome.revision > put.outcome.revision && returned < read.call,
      ),
    ),

  "a read shows what is written only later": (history, random) => showOther(history, random, (read, put) => put.call > read.return),

  "a read shows a value that nobody has written": (history, random) => {
    const read = pick(readsOf(history), random);
    return read && replace(history, read, show(read, { ...read.outcome.item, value: "of nobody" }));
  },

  "a read goes back in time": (history, random) => {
    const [read, put] =
      pick(
        pairs(readsOf(history), putsOf(history), (read, put) => sees(read, put)),
        random,
      ) ?? [];
    if (read === undefined || put === undefined) return undefined;
    return replace(history, read, { ...read, call: put.call - 2, return: put.call - 1 });
  },

  "two writes have one revision": (history, random) => {
    const [first, second] =
      pick(
        pairs(putsOf(history), putsOf(history), (a, b) => a.id < b.id),
        random,
      ) ?? [];
    if (first === undefined || second === undefined) return undefined;
    return replace(history, second, withRevision(second, first.outcome.revision));
  },

  "a write has a higher revision than a later one": (history, random) => {
    const [first, second] =
      pick(
        pairs(putsOf(history), putsOf(history), (a, b) => a.return < b.call),
        random,
      ) ?? [];
    if (first === undefined || second === undefined) return undefined;
    const changed = replace(history, first, withRevision(first, second.outcome.revision));
    return replace(changed, second, withRevision(second, first.outcome.revision));
  },

  "a write that was read has failed": (history, random) => {
    const put = pick(putsThatAreSeen(history), random);
    const reason = put?.do === "create" ? "AlreadyExists" : "Conflict";
    return put && replace(history, put, { ...put, outcome: { kind: "failed", reason } });
  },

  "a write that was read was never called": (history, random) => {
    const put = pick(putsThatAreSeen(history), random);
    return put && { ...history, operations: history.operations.filter((one) => one !== put) };
  },

  "a list lacks what was there before and after": (history, random) => {
    const lists = history.operations.filter(
      (one) => one.do === "list" && one.at === "" && one.outcome.kind === "ok" && one.outcome.items.length > 0,
    );
    const list = pick(lists, random);
    if (list?.do !== "list" || list.outcome.kind !== "ok") return undefined;
    const gone = random.pick(list.outcome.items);
    const isDeletable = history.operations.some((one) => one.do === "delete" && one.key === gone.key && one.outcome.kind !== "failed");
    if (isDeletable) return undefined;
    const items = list.outcome.items.filter((item) => item !== gone);
    // What created it must not overlap with the list.
    const isCertain = putsOf(history).some((put) => put.key === gone.key && put.return < list.call);
    return isCertain ? replace(history, list, { ...list, outcome: { ...list.outcome, items } }) : undefined;
  },
};

/** May make a wrong history or another right one. */
export const anyMutations: readonly Mutation[] = [
  ...Object.values(wrongMutations),
  (history, random) => {
    const operation = random.pick(history.operations);
    const by = random.below(60) - 30;
    return replace(history, operation, { ...operation, call: operation.call + by, return: operation.return + by });
  },
  (history, random) => ({ ...history, operations: history.operations.filter((one) => one !== random.pick(history.operations)) }),
  (history, random) => showOther(history, random, () => true),
];

const putsOf = ({ operations }: History): readonly Put[] =>
  operations.filter(
    (one): one is Put => (one.do === "create" || one.do === "update") && one.outcome.kind === "ok" && one.outcome.revision !== undefined,
  );

const readsOf = ({ operations }: History): readonly FoundGet[] =>
  operations.filter((one): one is FoundGet => one.do === "get" && one.at === "" && one.outcome.kind === "ok");

const sees = (read: FoundGet, put: Put): boolean => read.key === put.key && read.outcome.item.revision === put.outcome.revision;

const putsThatAreSeen = (history: History): readonly Put[] =>
  putsOf(history).filter((put) => readsOf(history).some((read) => sees(read, put)));

function pairs<A, B>(some: readonly A[], others: readonly B[], fit: (a: A, b: B) => boolean): (readonly [A, B])[] {
  return some.flatMap((a) => others.filter((b) => fit(a, b)).map((b) => [a, b] as const));
}

const pick = <T>(from: readonly T[], random: Random): T | undefined => (from.length === 0 ? undefined : random.pick(from));

function showOther(history: History, random: Random, fit: (read: FoundGet, put: Put) => boolean): History | undefined {
  const found = pairs(readsOf(history), putsOf(history), (read, put) => read.key === put.key && !sees(read, put) && fit(read, put));
  const [read, put] = pick(found, random) ?? [];
  if (read === undefined || put === undefined) return undefined;
  return replace(history, read, show(read, { key: put.key, value: put.value, revision: put.outcome.revision }));
}

const show = (read: FoundGet, item: Version): Get => ({ ...read, outcome: { kind: "ok", item } });

const withRevision = (put: Put, revision: number): Put => ({ ...put, outcome: { ...put.outcome, revision } });

const replace = (history: History, old: Operation, now: Operation): History => ({
  ...history,
  operations: history.operations.map((one) => (one === old ? now : one)),
});
