/** What the buttons of a race stand for: who takes part, which request each action is, and the classic order. Data and pure functions. */
import { isObject, type KubeObject, type RaceName } from "@coxswain/machinery";
import { type FieldPath, onlyValue, valueAt, withValue } from "./object-field.ts";

/** A request that the client is to make. */
export type PlannedRequest =
  | { readonly verb: "get" }
  | { readonly verb: "update"; readonly object: KubeObject; readonly subresource?: "status" }
  | { readonly verb: "patch"; readonly patch: object }
  | { readonly verb: "apply"; readonly object: KubeObject; readonly force: boolean };

/** What an actor wants to be so in the object. */
export type Change =
  | { readonly kind: "field"; readonly path: FieldPath; readonly value: unknown; readonly instead?: FieldPath }
  | { readonly kind: "condition"; readonly type: string };

export type Doing =
  | { readonly kind: "read" }
  | { readonly kind: "update"; readonly isVersioned: boolean }
  | { readonly kind: "patch"; readonly isVersioned: boolean }
  | { readonly kind: "retry" }
  /** `own` is the actor's value, `current` the one that the object has, `none` leaves the field out. */
  | { readonly kind: "apply"; readonly value: "own" | "current" | "none"; readonly force: boolean }
  /** Of a component: the request that waits. */
  | { readonly kind: "let through" }
  /** What a user does in the Pod's race. */
  | { readonly kind: "label" | "create urgent" | "replace" }
  | { readonly kind: "wait"; readonly seconds: number }
  | { readonly kind: "stop" };

export interface PlannedActor {
  readonly name: string;
  readonly description: string;
  /** Undefined for components, and who changes nothing of the object by these. */
  readonly change?: Change;
}

export interface PlannedAction {
  readonly id: string;
  readonly actor: string;
  readonly label: string;
  readonly description: string;
  readonly does: Doing;
}

export interface RacePlan {
  readonly actors: readonly PlannedActor[];
  readonly actions: readonly PlannedAction[];
  readonly classic: readonly string[];
}

/** What a race is about, where two set one field. */
export interface Contended {
  readonly path: FieldPath;
  readonly values: readonly [unknown, unknown];
}

/** The requests of an action, one after another: each is made of the copy that the one before has left. */
export function kindsOf(doing: Doing): readonly Doing[] {
  return doing.kind === "retry" ? [{ kind: "read" }, { kind: "update", isVersioned: true }] : [doing];
}

/** Why an action cannot be done; undefined when it can. */
export function unavailable(doing: Doing, { hasCopy, isWaiting }: { readonly hasCopy: boolean; readonly isWaiting: boolean }) {
  switch (doing.kind) {
    case "update":
      return hasCopy ? undefined : "nothing has been read yet";
    case "patch":
      return hasCopy || !doing.isVersioned ? undefined : "nothing has been read yet";
    case "let through":
      return isWaiting ? undefined : "it sends nothing now";
    default:
      return undefined;
  }
}

interface Known {
  readonly change: Change;
  /** What the actor has read. */
  readonly copy: KubeObject | undefined;
  /** What the object is called, and which value it has now. */
  readonly current: KubeObject;
}

/** The request of an action of a client. @throws Error for actions that are none of a client's */
export function planRequest(doing: Doing, { change, copy, current }: Known): PlannedRequest {
  switch (doing.kind) {
    case "read":
      return { verb: "get" };
    case "update": {
      const wanted = changedBy(change, copy ?? current);
      const object = doing.isVersioned ? wanted : withoutVersion(wanted);
      return { verb: "update", object, ...(change.kind === "condition" ? { subresource: "status" as const } : {}) };
    }
    case "patch": {
      const { path, value } = targetOf(change, copy);
      const resourceVersion = doing.isVersioned ? copy?.metadata?.resourceVersion : undefined;
      const patch = onlyValue(path, value) as KubeObject;
      return { verb: "patch", patch: resourceVersion === undefined ? patch : merged(patch, { resourceVersion }) };
    }
    case "apply": {
      const { apiVersion, kind, metadata: { name } = {} } = current;
      const { path, value: own } = targetOf(change, undefined);
      const value = doing.value === "own" ? own : valueAt(current, path);
      const intended = (doing.value === "none" ? {} : onlyValue(path, value)) as KubeObject;
      const object = { apiVersion, kind, ...merged(intended, name === undefined ? {} : { name }) } as KubeObject;
      return { verb: "apply", object, force: doing.force };
    }
    default:
      throw new Error(`${doing.kind} is no request of a client`);
  }
}

/** The object as the actor wants it. */
export function changedBy(change: Change, object: KubeObject): KubeObject {
  if (change.kind === "field") {
    const { path, value } = targetOf(change, object);
    return withValue(object, path, value);
  }
  const conditions = valueAt(object, ["status", "conditions"]);
  const others = Array.isArray(conditions) ? conditions.filter((one: unknown) => !isObject(one) || one.type !== change.type) : [];
  return withValue(object, ["status", "conditions"], [...others, { type: change.type, status: "True" }]);
}

/** Who has read that another has the seat puts their name down elsewhere. */
function targetOf(change: Change, copy: KubeObject | undefined): { readonly path: FieldPath; readonly value: unknown } {
  if (change.kind === "condition") throw new Error("a condition is written with the whole status");
  const { path, value, instead } = change;
  const found = copy === undefined ? undefined : valueAt(copy, path);
  const isTaken = found !== undefined && found !== "" && found !== value;
  return { path: isTaken && instead !== undefined ? instead : path, value };
}

const merged = (object: KubeObject, metadata: object): KubeObject => ({ ...object, metadata: { ...object.metadata, ...metadata } });

function withoutVersion(object: KubeObject): KubeObject {
  const { resourceVersion: _, ...metadata } = object.metadata ?? {};
  return { ...object, metadata };
}

/** How many of the classic actions were done, in their order and nothing else; undefined when something else was. */
export function classicDone(classic: readonly string[], done: readonly string[]): number | undefined {
  return done.every((id, at) => classic[at] === id) ? done.length : undefined;
}

export function planRace(race: RaceName, contended: Contended | undefined): RacePlan {
  switch (race) {
    case "seat":
      return clients(wanted(contended));
    case "apply":
      return appliers(wanted(contended));
    case "loop":
      return controllers(wanted(contended));
    case "pod":
      return components();
  }
}

function wanted(contended: Contended | undefined): Contended {
  if (contended === undefined) throw new Error("two race for a field");
  return contended;
}

const action = (actor: string, id: string, does: Doing, [label, description]: readonly [string, string]): PlannedAction => ({
  id: `${actor.toLowerCase()}-${id}`,
  ...{ actor, label, description, does },
});

const read = ["reads", "GET: from now on there is a copy, with the version that the object had"] as const;

function clients({ path, values }: Contended): RacePlan {
  const instead: FieldPath | undefined = path.at(-1) === "bookedBy" ? [...path.slice(0, -1), "waiting"] : undefined;
  const make = (name: string, value: unknown): PlannedActor => ({
    name,
    description: `a client that sets the field to ${JSON.stringify(value)}`,
    change: { kind: "field", path, value, ...(instead === undefined ? {} : { instead }) },
  });
  const actors = [make("Ann", values[0]), make("Bob", values[1])];
  const actions = actors.flatMap(({ name }) => [
    action(name, "reads", { kind: "read" }, read),
    action(name, "writes", { kind: "update", isVersioned: true }, ["writes", "PUT of the whole copy, with the version that was read"]),
    action(name, "retries", { kind: "retry" }, ["reads and writes again", "what a client does after a 409: GET, decide again, PUT"]),
    action(name, "overwrites", { kind: "update", isVersioned: false }, [
      "writes without a version",
      "PUT of the whole copy, and no version: whatever was written in between is lost",
    ]),
    action(name, "patches", { kind: "patch", isVersioned: false }, ["patches", "a merge patch of the one field: the last one wins"]),
    action(name, "patches-version", { kind: "patch", isVersioned: true }, [
      "patches with the version",
      "a merge patch that also names the version that was read: refused if that is old",
    ]),
  ]);
  return { actors, actions, classic: ["ann-reads", "bob-reads", "ann-writes", "bob-writes", "bob-retries"] };
}

function appliers({ path, values }: Contended): RacePlan {
  const make = (name: string, value: unknown): PlannedActor => ({
    name,
    description: `applies the field with ${JSON.stringify(value)}`,
    change: { kind: "field", path, value },
  });
  const actors = [make("Team-A", values[0]), make("Team-B", values[1])];
  const apply = (value: "own" | "current" | "none", force = false): Doing => ({ kind: "apply", value, force });
  const actions = actors.flatMap(({ name }) => [
    action(name, "applies", apply("own"), ["applies", "an apply of the one field, with the value that this team wants"]),
    action(name, "forces", apply("own", true), ["applies with force", "the same, and takes the field from whoever owns it"]),
    action(name, "agrees", apply("current"), ["applies the value that it has", "then both own the field, as long as they agree"]),
    action(name, "leaves", apply("none"), ["leaves the field out", "an apply without the field: who owned it gives it up"]),
    action(name, "reads", { kind: "read" }, read),
  ]);
  const classic = ["team-a-applies", "team-b-applies", "team-b-forces", "team-a-applies", "team-a-agrees", "team-a-leaves"];
  return { actors, actions, classic };
}

function controllers({ path, values }: Contended): RacePlan {
  const make = (name: string, value: unknown): PlannedActor => ({
    name,
    description: `a controller that wants ${JSON.stringify(value)}, and writes whenever it sees something else`,
    change: { kind: "field", path, value },
  });
  const actors = [make("autoscaler", values[0]), make("deployer", values[1])];
  const actions = actors.flatMap(({ name }) => [
    action(name, "write", { kind: "let through" }, ["sends its write", "the request that it has made of what its watch brought"]),
    action(name, "stop", { kind: "stop" }, ["is stopped", "somebody decides who owns the field, and ends one of the two"]),
  ]);
  // Both have made their first write of the same version: the second one is refused, and made again.
  const begin = ["autoscaler-write", "deployer-write", "deployer-write"];
  const turn = ["autoscaler-write", "deployer-write"];
  return { actors, actions, classic: [...begin, ...Array.from({ length: 7 }, () => turn).flat()] };
}

const inspected = "example.com/Inspected";

function components(): RacePlan {
  const actors: PlannedActor[] = [
    { name: "scheduler", description: "the real one: binds the Pod, and may have to make room for a more important one" },
    { name: "kubelet", description: "the real one, of node-1, with containers that are simulated" },
    {
      name: "agent",
      description: "sends the whole status, with a condition of its own, and the version that it has read",
      change: { kind: "condition", type: inspected },
    },
    { name: "user", description: "labels the Pod, replaces it, or creates a more important one that needs the whole node" },
  ];
  const through = ["sends its request", "the request that it has made of what its watch brought"] as const;
  const actions = [
    action("scheduler", "request", { kind: "let through" }, through),
    action("kubelet", "request", { kind: "let through" }, through),
    action("agent", "reads", { kind: "read" }, read),
    action("agent", "writes", { kind: "update", isVersioned: true }, [
      "writes the status",
      "PUT of the whole status, with the version that was read",
    ]),
    action("agent", "retries", { kind: "retry" }, ["reads and writes again", "what a client does after a 409: GET, decide again, PUT"]),
    action("user", "labels", { kind: "label" }, ["labels the Pod", "a merge patch of one label, without a version"]),
    action("user", "urgent", { kind: "create urgent" }, [
      "creates an important Pod",
      "it needs the whole node: the scheduler has to make room",
    ]),
    action("user", "replaces", { kind: "replace" }, [
      "replaces the Pod",
      "deletes it without waiting, and creates another of the same name: what is sent for the first one is not for this one",
    ]),
    action("user", "waits", { kind: "wait", seconds: 2 }, ["waits 2 s", "lets time pass: containers start, components look again"]),
  ];
  const classic = [
    ...["agent-reads", "scheduler-request", "agent-writes", "agent-retries"],
    ...["user-urgent", "scheduler-request", "kubelet-request", "scheduler-request"],
    ...["user-replaces", "user-labels", "scheduler-request", "scheduler-request"],
  ];
  return { actors, actions, classic };
}
