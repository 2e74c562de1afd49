/** Words of our own where Kubernetes, client-go or plain English has another. The right side says what to write instead. */

/** As a word of a name, wherever it stands: `tellHotLoops`, `toldAbout`, `hot-loop-tells.ts`. */
export const deniedWords: Readonly<Record<string, string>> = {
  tell: "report, record, log or return",
  tells: "reports, records, logs or returns",
  told: "reported, recorded or returned",
  look: "list, probe, get or sync",
  looks: "lists, probes, gets or syncs",
  looked: "listed, probed or synced",
  welcome: "admit",
  welcomed: "admitted",
  fate: "state, outcome",
  fates: "states, outcomes",
  bond: "reference",
  bonds: "references",
  doubt: "unconfirmed",
  doubts: "unconfirmed",
  breathe: "yield",
  breathes: "yields",
  soon: "in background",
  nobody: "none, unknown or anonymous",
  nobodys: "unowned, not found",
  somebody: "any, other",
  whom: "the noun itself",
  wish: "intended, desired",
  wishes: "intended, desired",
  wished: "intended, desired",
  anew: "restart, relist",
  patience: "budget, timeout",
};

/** As the first word, with another behind it: `mostBytes`, `longestBody`; but "longest prefix" is what a router matches. */
export const deniedPrefixes: Readonly<Record<string, string>> = { most: "max…", longest: "max…" };

/** As the whole name. */
export const deniedNames: Readonly<Record<string, string>> = {
  KindBehaviour: "Strategy",
  Tenancy: "PodSyncStatus",
  PodRoster: "PodWorkers",
  createPodConfigs: "generateContainerConfig",
  Alarm: "ResettableTimer",
  AddressBook: "ServiceIPAllocator or NodePortAllocator",
  inTheirPlace: "preempt",
  untilWritten: "guaranteedUpdate",
  HeavyWork: "offload",
  TooHeavy: "OffloadRequired",
  Past: "ObjectHistory",
  meaning: "relevance",
  Wish: "IntendedChange",
  Bonds: "BoundObjectRefs",
  Grant: "TokenRequest",
  Replica: "Store",
  ObjectTable: "Indexer",
  Doubt: "UnconfirmedWrite",
  Ledger: "Expectations",
  OwnWrites: "Expectations",
  worthTrying: "isPodWorthRequeuing",
  Worth: "QueueingHint",
  Verdict: "Status",
  allowBinding: "allow (of the waiting Pod)",
  stopBinding: "reject (of the waiting Pod)",
  Attempts: "SchedulingCycle",
  BindingsUnderWay: "in-flight bindings",
  startSoon: "startInBackground",
  Renewed: "restart on failure",
  Patience: "ValidationBudget",
  Lineage: "CustomResourceStats",
};

/** Names of Kubernetes' own that sound like predicates: kube-scheduler's returns Queue or QueueSkip. */
export const namedByKubernetes: ReadonlySet<string> = new Set(["isPodWorthRequeuing"]);

/** Names that more than one module exported with different meanings: one module may, or each says what it means. */
export const ambiguousNames: ReadonlySet<string> = new Set(["Place", "Look", "Surroundings", "keyOf", "read"]);
