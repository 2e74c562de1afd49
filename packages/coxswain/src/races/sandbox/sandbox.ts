/** One race: a cluster of its own in memory, in virtual time, where nothing happens but by its actions. */
import { type Client, type ControllerLog, createClient, type ResourceClient, unlessNotFound } from "@coxswain/client";
import {
  AsyncDisposableStack,
  badRequest,
  type KubeObject,
  type RaceActor,
  type RaceHotLoop,
  type RaceReport,
  type RaceRequest,
  StatusError,
} from "@coxswain/machinery";
import { seededRandom } from "../../testing/chance-and-time/random.ts";
import { type VirtualClock, virtualClock } from "../../testing/chance-and-time/virtual-clock.ts";
import { startCluster } from "../../testing/cluster/start-cluster.ts";
import type { TestCluster } from "../../testing/cluster/test-cluster.ts";
import { fieldOwners } from "./field-owners.ts";
import { valueAt } from "./object-field.ts";
import { performRequest, urgentPod } from "./perform-request.ts";
import { type Doing, kindsOf, planRequest, unavailable } from "./plan-request.ts";
import { startComponents, startFighters } from "./race-components.ts";
import { classicDone, type PlannedAction, type RacePlan } from "./race-plan.ts";
import { type RaceStart, startOf } from "./race-start.ts";
import { afterChange, afterExchange, beginRace, type RaceState, versionOf } from "./race-state.ts";
import { type Recorded, RequestGate, recordingTransport } from "./request-gate.ts";

/** More is no show any more. */
const maxSteps = 200;
/** Between one action and the next: components do what they have to do in that time. */
const stepMs = 50;
/** Two seconds: then nobody fights any more. */
const maxFightTurns = 40;
const beginsAt = Date.UTC(2026, 0, 1, 12);
/** Of what was there before the race. */
const setup = "setup";

export class Sandbox implements AsyncDisposable {
  readonly #owned = new AsyncDisposableStack();
  readonly #request: RaceRequest;
  readonly #clock: VirtualClock;
  readonly #cluster: TestCluster;
  readonly #start: RaceStart;
  readonly #gates = new Map<string, RequestGate>();
  readonly #objects = new Map<string, ResourceClient<KubeObject>>();
  readonly #done: string[] = [];
  #fighters: ReadonlyMap<string, AsyncDisposable> = new Map();
  #state: RaceState;
  #hotLoop: RaceHotLoop | undefined;

  private constructor(
    request: RaceRequest,
    parts: { readonly clock: VirtualClock; readonly cluster: TestCluster; readonly start: RaceStart },
  ) {
    this.#request = request;
    this.#clock = parts.clock;
    this.#cluster = this.#owned.use(parts.cluster);
    this.#start = parts.start;
    this.#state = beginRace(parts.start.object, { actor: setup, time: this.#time });
  }

  /** @throws StatusError what the server of the race, or this, has against the object */
  static async begin(request: RaceRequest): Promise<Sandbox> {
    const clock = virtualClock({ now: beginsAt });
    await using stack = new AsyncDisposableStack();
    const cluster = stack.use(await startCluster({ clock, seed: 1 }));
    const start = await startOf(request, cluster);
    const sandbox = stack.use(new Sandbox(request, { clock, cluster, start }));
    await sandbox.#startActors();
    stack.move();
    return sandbox;
  }

  get #plan(): RacePlan {
    return this.#start.plan;
  }

  get #time(): string {
    return new Date(this.#clock.now()).toISOString();
  }

  async #startActors(): Promise<void> {
    const parts = {
      client: this.#cluster.client,
      clientOf: (actor: string, user: string) => this.#gatedClient(actor, user),
      clock: this.#clock,
      owned: this.#owned,
    };
    if (this.#request.race === "pod") await startComponents(parts);
    if (this.#request.race === "loop") this.#fighters = await startFighters(this.#plan.actors, this.#start.ref, parts);
    await this.#settle(stepMs);
    await this.#untilFought();
  }

  /** Of controllers that fight, until the next of them wants to write: their queues let them wait the longer, the more often they do. */
  async #untilFought(): Promise<void> {
    const isQuiet = (): boolean => [...this.#gates.values()].every(({ waiting }) => waiting === undefined);
    for (let turn = 0; this.#fighters.size > 0 && isQuiet() && turn < maxFightTurns; turn++) await this.#settle(stepMs);
  }

  /** @throws StatusError for what cannot be done */
  async act(id: string): Promise<void> {
    const action = this.#plan.actions.find((one) => one.id === id);
    if (action === undefined) throw badRequest(`there is no action ${JSON.stringify(id.slice(0, 64))}`);
    const why = this.#unavailable(action);
    if (why !== undefined) throw badRequest(`${action.actor}: ${why}`);
    this.#done.push(id);
    for (const doing of kindsOf(action.does)) await this.#do(action.actor, doing);
    await this.#settle(action.does.kind === "wait" ? action.does.seconds * 1_000 : stepMs);
    await this.#untilFought();
  }

  report(name: string, afterStep = 0): RaceReport {
    const { object, steps, versions } = this.#state;
    const done = classicDone(this.#plan.classic, this.#done);
    return {
      ...{ kind: "Race", apiVersion: "coxswain/v1", metadata: { name }, race: this.#request.race, time: this.#time },
      ...(this.#start.contended === undefined ? {} : { field: this.#start.field }),
      ...(object === undefined ? {} : { object, ...this.#valueIn(object) }),
      owners: object === undefined ? [] : fieldOwners(object),
      actors: this.#plan.actors.map((actor) => this.#actor(actor)),
      actions: this.#plan.actions.map((action) => {
        const { does: _, ...shown } = action;
        const why = this.#unavailable(action);
        return why === undefined ? shown : { ...shown, unavailable: why };
      }),
      steps: steps.slice(afterStep),
      versions,
      classic: { actions: this.#plan.classic, ...(done === undefined ? {} : { done }) },
      ...(this.#hotLoop === undefined ? {} : { hotLoop: this.#hotLoop }),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#owned.disposeAsync();
  }

  #actor({ name, description }: { readonly name: string; readonly description: string }): RaceActor {
    const newest = versionOf(this.#state.object);
    const held = this.#gates.get(name)?.waiting;
    if (held !== undefined) {
      const { request: waiting, basedOn: resourceVersion } = held;
      return { name, description, waiting, copy: { resourceVersion, isStale: resourceVersion !== newest } };
    }
    const copy = this.#state.copies.get(name);
    if (copy === undefined || this.#gates.has(name)) return { name, description };
    const { resourceVersion, object } = copy;
    return { name, description, copy: { resourceVersion, object, ...this.#valueIn(object), isStale: resourceVersion !== newest } };
  }

  #valueIn(object: KubeObject): { readonly value?: unknown } {
    const { path } = this.#start.contended ?? {};
    const value = path === undefined ? undefined : valueAt(object, path);
    return value === undefined ? {} : { value };
  }

  #unavailable({ actor, does }: PlannedAction): string | undefined {
    if (this.#state.steps.length >= maxSteps) return `a race has no more than ${maxSteps} steps: begin again`;
    return unavailable(does, { hasCopy: this.#state.copies.has(actor), isWaiting: this.#gates.get(actor)?.waiting !== undefined });
  }

  async #do(actor: string, doing: Doing): Promise<void> {
    switch (doing.kind) {
      case "let through":
        this.#gates.get(actor)?.release();
        return;
      case "wait":
        return;
      case "stop":
        return await this.#fighters.get(actor)?.[Symbol.asyncDispose]();
      default:
        try {
          await this.#send(actor, doing);
        } catch (error) {
          // It is one of the steps.
          if (!(error instanceof StatusError)) throw error;
        }
    }
  }

  async #send(actor: string, doing: Doing): Promise<void> {
    const client = this.#clientFor(actor);
    const { name, manifest } = this.#start;
    switch (doing.kind) {
      case "label":
        await client.patch(name, { type: "merge", patch: { metadata: { labels: { step: String(this.#state.steps.length + 1) } } } });
        return;
      case "create urgent":
        await client.create(urgentPod);
        return;
      case "replace":
        await client.delete(name, { gracePeriodSeconds: 0 });
        await client.create(manifest);
        return;
    }
    const change = this.#plan.actors.find((one) => one.name === actor)?.change;
    if (change === undefined) throw new Error(`${actor} changes nothing`);
    const current = this.#state.object ?? this.#state.first;
    const planned = planRequest(doing, { change, copy: this.#state.copies.get(actor)?.object, current });
    await performRequest(client, planned, { name, manager: actor });
  }

  #clientFor(actor: string): ResourceClient<KubeObject> {
    const known = this.#objects.get(actor);
    if (known !== undefined) return known;
    const transport = recordingTransport(this.#cluster.transportFor({ name: actor }), (recorded) => this.#record(actor, recorded));
    const made = this.#clientOn(actor, transport).resource(this.#start.ref);
    this.#objects.set(actor, made);
    return made;
  }

  #gatedClient(actor: string, user: string): Client {
    const gate = new RequestGate(this.#cluster.transportFor({ name: user }), {
      holds: ({ method, path }) => method !== "GET" && isOf(path, this.#start.path),
      onRecorded: (recorded) => this.#record(actor, recorded),
    });
    this.#gates.set(actor, gate);
    return this.#clientOn(actor, gate.transport);
  }

  #clientOn(actor: string, transport: Client["transport"]): Client {
    const random = seededRandom(1).named(actor);
    return this.#owned.use(createClient({ transport, clock: this.#clock, random, fieldManager: actor, log: this.#log }));
  }

  async #record(actor: string, recorded: Recorded): Promise<void> {
    const exchange = { actor, time: this.#time, isComponent: this.#gates.has(actor), ...recorded };
    this.#become(afterExchange(this.#state, exchange, await this.#read()));
  }

  /** Lets time pass. What becomes of the object meanwhile is no step. */
  async #settle(ms: number): Promise<void> {
    await this.#clock.advance({ ms });
    this.#become(afterChange(this.#state, await this.#read(), { actor: "server", time: this.#time }));
  }

  #become(state: RaceState): void {
    this.#state = state;
    for (const gate of this.#gates.values()) gate.note(versionOf(state.object));
  }

  #read(): Promise<KubeObject | undefined> {
    const { ref, name } = this.#start;
    return unlessNotFound(this.#cluster.client.resource(ref).get(name), ref, name);
  }

  /** Of controllers: their detector of hot loops is heard here. */
  readonly #log: ControllerLog = {
    ...{ debug: () => undefined, info: () => undefined, error: () => undefined },
    warn: (fields) => {
      if (!isHotLoop(fields)) return;
      const { writers, field, writes, withinMs } = fields;
      this.#hotLoop ??= { writers, writes, withinMs, ...(field === undefined ? {} : { field }) };
    },
  };
}

const isHotLoop = (fields: object): fields is RaceHotLoop => "writers" in fields && "writes" in fields && "withinMs" in fields;

/** Of the object, or one of its subresources. */
const isOf = (path: string, object: string): boolean => path.startsWith(object) && /^(?:$|[/?])/.test(path.slice(object.length));
