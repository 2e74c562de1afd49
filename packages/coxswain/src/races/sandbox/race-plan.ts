/** What the buttons of each race are: who takes part, what they can do, and the classic order. */
import type { RaceName } from "@coxswain/machinery";
import type { FieldPath } from "./object-field.ts";
import type { Change, Doing } from "./plan-request.ts";

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
  /** Another way than the classic one. */
  readonly isAlternative?: boolean;
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

const alternative = (made: PlannedAction): PlannedAction => ({ ...made, isAlternative: true });

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
    alternative(
      action(name, "overwrites", { kind: "update", isVersioned: false }, [
        "writes without a version",
        "PUT of the whole copy, and no version: whatever was written in between is lost",
      ]),
    ),
    alternative(
      action(name, "patches", { kind: "patch", isVersioned: false }, ["patches", "a merge patch of the one field: the last one wins"]),
    ),
    alternative(
      action(name, "patches-version", { kind: "patch", isVersioned: true }, [
        "patches with the version",
        "a merge patch that also names the version that was read: refused if that is old",
      ]),
    ),
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
    alternative(
      action(name, "agrees", apply("current"), ["applies the value that it has", "then both own the field, as long as they agree"]),
    ),
    alternative(action(name, "leaves", apply("none"), ["leaves the field out", "an apply without the field: who owned it gives it up"])),
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
