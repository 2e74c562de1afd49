import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject } from "@coxswain/machinery";
import type { WatchEvent } from "../contracts/watch-event.ts";
import type { Change } from "./change.ts";
import { selects } from "./selects.ts";
import { Store } from "./store.ts";

interface Shown {
  readonly uid?: string;
  readonly labels?: Record<string, string>;
  readonly deletionTimestamp?: string;
  readonly finalizers?: string[];
}

/** `a@7` of uid `a` unless another is given. */
const object = (text: string, { uid, ...more }: Shown = {}): KubeObject => {
  const [name = "", resourceVersion = ""] = text.split("@");
  return { kind: "Item", metadata: { name, namespace: "default", uid: uid ?? name, resourceVersion, ...more } };
};
const listed = (resourceVersion: string, ...items: KubeObject[]): WatchEvent<KubeObject> => ({ type: "LISTED", items, resourceVersion });
const event = (type: "ADDED" | "MODIFIED" | "DELETED", object: KubeObject): WatchEvent<KubeObject> => ({ type, object });
const bookmark = (resourceVersion: string): WatchEvent<KubeObject> => ({ type: "BOOKMARK", resourceVersion });

const describeChange = (change: Change): string => {
  const { name, resourceVersion } = change.object.metadata ?? {};
  const how = change.type === "added" ? change.initial && "initial" : change.type === "deleted" && change.unseen && "unseen";
  return `${change.type} ${name}@${resourceVersion}${how === false ? "" : ` ${how}`}`;
};

const newStore = (labelSelector = "", fieldSelector = "") =>
  new Store<KubeObject>({ defaultNamespace: "", keep: (o) => o, selects: selects({ labelSelector, fieldSelector }) });

const eventCases = [
  { name: "what the first list has was there before", events: [listed("5", object("a@1"))], expect: ["added a@1 initial"] },
  {
    name: "an event each",
    events: [listed("5"), event("ADDED", object("a@6")), event("MODIFIED", object("a@7"))],
    expect: ["added a@6", "updated a@7"],
  },
  {
    name: "a deletion reports the last state",
    events: [listed("5", object("a@1")), event("DELETED", object("a@6"))],
    expect: ["added a@1 initial", "deleted a@6"],
  },
  { name: "a bookmark reports no change", events: [listed("5"), bookmark("9")], expect: [] },
  {
    name: "a list reports only what is different",
    events: [listed("5", object("a@1"), object("b@2")), listed("9", object("a@1"), object("b@8"))],
    expect: ["added a@1 initial", "added b@2 initial", "updated b@8"],
  },
  {
    name: "a list that lacks an object reports an unseen deletion",
    events: [listed("5", object("a@1")), listed("9", object("b@7"))],
    expect: ["added a@1 initial", "added b@7", "deleted a@1 unseen"],
  },
  {
    name: "another object of the name is reported as two changes",
    events: [listed("5", object("a@1")), listed("9", object("a@7", { uid: "other" }))],
    expect: ["added a@1 initial", "deleted a@1 unseen", "added a@7"],
  },
  {
    name: "a repeated event is reported once",
    events: [listed("5"), event("ADDED", object("a@6")), event("ADDED", object("a@6"))],
    expect: ["added a@6"],
  },
  {
    name: "an event of the past counts for nothing",
    events: [listed("9", object("a@9")), event("MODIFIED", object("a@10")), event("MODIFIED", object("a@9"))],
    expect: ["added a@9 initial", "updated a@10"],
  },
  {
    name: "versions are numbers of any length",
    events: [listed("9", object("a@9")), event("MODIFIED", object("a@184467440737095516150"))],
    expect: ["added a@9 initial", "updated a@184467440737095516150"],
  },
  {
    name: "versions that are no numbers come in the order of the watch",
    events: [listed("x", object("a@z")), event("MODIFIED", object("a@b")), event("MODIFIED", object("a@a"))],
    expect: ["added a@z initial", "updated a@b", "updated a@a"],
  },
  {
    name: "a list older than what is known means that the server's history restarted",
    events: [listed("50", object("a@40"), object("b@41")), listed("30", object("a@20"))],
    expect: ["added a@40 initial", "added b@41 initial", "updated a@20", "deleted b@41 unseen"],
  },
];
for (const { name, events, expect } of eventCases) {
  test(name, () => {
    const store = newStore();
    assert.deepEqual(events.flatMap((one) => store.apply(one)).map(describeChange), expect);
  });
}

const held = { deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: ["keep"] };
const going = { deletionTimestamp: "2026-01-01T00:00:00Z" };
const leftToWatch = "only the watch can decide";
const takeCases = [
  { name: "what is ahead of the watch is taken", take: object("a@8"), expect: ["updated a@8"] },
  { name: "a new object too", take: object("new@8"), expect: ["added new@8"] },
  { name: "with finalizers also one in deletion", take: object("a@8", held), expect: ["updated a@8"] },
  { name: "what nothing holds any more may be gone already", take: object("a@8", going), expect: leftToWatch },
  {
    name: "a Namespace that its spec's finalizers hold",
    take: { ...object("a@8", going), spec: { finalizers: ["kubernetes"] } },
    expect: ["updated a@8"],
  },
  { name: "what the watch has passed is known", take: object("a@5"), expect: [] },
  { name: "also when it is not there any more", take: object("gone@4"), expect: [] },
  { name: "what is taken once is known", before: "a@9", take: object("a@9"), expect: [] },
  { name: "and nothing older is taken after it", before: "a@9", take: object("a@8"), expect: [] },
  { name: "another of the name", take: object("a@8", { uid: "other" }), expect: ["deleted a@1 unseen", "added a@8"] },
  { name: "what the selector does not choose will not come", labels: "app", take: object("new@8"), expect: [] },
  { name: "what the selector does not choose any more goes by the watch", labels: "app", take: object("a@8"), expect: leftToWatch },
  { name: "what the selector chooses", labels: "app", take: object("a@8", { labels: { app: "" } }), expect: ["updated a@8"] },
  { name: "names are fields that every resource has", fields: "metadata.name=a", take: object("a@8"), expect: ["updated a@8"] },
  { name: "what other fields mean only the server knows", fields: "spec.nodeName=n", take: object("a@8"), expect: leftToWatch },
  { name: "versions that cannot be compared", take: object("a@x8"), expect: leftToWatch },
];
for (const { name, labels, fields, before, take, expect } of takeCases) {
  test(`an answer ahead of the watch: ${name}`, () => {
    const store = newStore(labels, fields);
    store.apply(listed("5", object("a@1")));
    if (before !== undefined) store.take(object(before));
    assert.deepEqual(store.take(take)?.map(describeChange) ?? leftToWatch, expect);
  });
}

test("before the first list only the watch can decide", () => {
  assert.equal(newStore().take(object("a@8")), undefined);
});

test("what was taken stays when a list from before it comes, and goes with one from after", () => {
  const store = newStore();
  store.apply(listed("5"));
  store.take(object("a@8"));
  assert.deepEqual(store.apply(listed("6")), []);
  assert.deepEqual(store.apply(event("ADDED", object("a@7", { uid: "before" }))), []);
  assert.deepEqual(store.apply(event("DELETED", object("a@7", { uid: "before" }))), []);
  assert.deepEqual(store.apply(listed("8")).map(describeChange), ["deleted a@8 unseen"]);
});

test("what is taken is a copy: the writer may go on with the answer", () => {
  const store = newStore();
  store.apply(listed("5"));
  const answer = object("a@8");
  store.take(answer);
  answer.value = 1;
  assert.equal(store.indexer.get({ namespace: "default", name: "a" })?.value, undefined);
});
