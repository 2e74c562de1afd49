/** Checks invariants on every version of every object: behind the writes, from the store's own changes, one after the other. */
import type { ResourceRegistry } from "@coxswain/api";
import type { ChainStep, InvariantReport, ObjectName } from "@coxswain/machinery";
import { CompactedError, type Revision } from "@coxswain/store";
import type { Finding, FindingParts, Invariant } from "../contracts/invariant.ts";
import { objectAt, resourcesByPrefix } from "../history/object-names.ts";
import type { MayGet } from "../routes/reports.ts";
import { keyOf } from "../storage/served-resource.ts";
import { type ChainServices, chainOf, type ViolatingWrite } from "./chain.ts";
import { changesAfter, type KeptChange } from "./changes-after.ts";
import { involvedObjects } from "./involved-objects.ts";
import { reportOn } from "./report.ts";
import { observedChange, type ResourceNames, type StateServices, stateAt } from "./state-at.ts";
import { type InvariantFailure, type InvariantGap, type KeptViolation, type Violation, Violations } from "./violations.ts";

export interface InvariantServices extends StateServices, ChainServices {
  readonly registry: Pick<ResourceRegistry, "all">;
}

export interface InvariantWatchOptions {
  readonly invariants: readonly Invariant[];
  /** The first revision that is checked, as a whole state; all changes after it follow. Default: the store's newest. */
  readonly from?: number;
  /** Goes on where another has ended instead. */
  readonly resume?: ResumedWatch | undefined;
  /** Called once for each violation, as soon as it is found. */
  readonly onViolation?: (violation: Violation) => void;
  /** Called when checking fails. It is tried again with the next change, or when somebody asks. */
  readonly onError?: (error: unknown) => void;
  /** Called with the work that is under way whenever there are changes. It rejects when checking fails. */
  readonly onWork?: (work: Promise<void>) => void;
}

/** What a watch that has ended knew. */
export interface ResumedWatch {
  readonly from: number;
  readonly checked: number;
  readonly gaps: readonly InvariantGap[];
  readonly violations: readonly KeptViolation[];
}

/** Changes that are read at a time. */
const changesAtOnce = 256;
/** Others get their turn after each that an invariant is about, and after so many that none is about. */
const changesInTurn = 64;

/** What was found at one change, or in the state that checking began with. */
interface At {
  readonly revision: number;
  readonly at: number | undefined;
  readonly change: KeptChange | undefined;
  readonly object: ObjectName | undefined;
  readonly names: ResourceNames;
}

/** Invariants that are checked until this is disposed of. */
export class InvariantWatch implements Disposable {
  readonly violations = new Violations();
  /** Of invariants, evaluations that failed: how many, and the first. */
  readonly failures = new Map<string, InvariantFailure>();
  readonly gaps: InvariantGap[] = [];
  /** The revision whose state was the first that was checked. */
  readonly from: number;
  readonly #services: InvariantServices;
  readonly #options: InvariantWatchOptions;
  readonly #retained: Disposable;
  readonly #changesOfStore: Disposable;
  /** Up to where everything is checked. */
  #checked: number;
  #hasBegun = false;
  #isClosed = false;
  #work: Promise<void> | undefined;

  constructor(services: InvariantServices, options: InvariantWatchOptions) {
    const { store } = services;
    const { resume } = options;
    this.#services = services;
    this.#options = options;
    this.from = resume?.from ?? options.from ?? store.revision;
    this.#checked = resume?.checked ?? this.from;
    this.#hasBegun = resume !== undefined;
    this.gaps.push(...(resume?.gaps ?? []));
    for (const kept of resume?.violations ?? []) this.violations.restore(kept);
    this.#retained = store.retain(() => this.#checked as Revision);
    this.#changesOfStore = store.subscribe("", { after: store.revision }, () => void this.#wake());
    this.#wake();
  }

  get checked(): number {
    return this.#checked;
  }

  /** Resolves when all is checked that the store has now. Rejects when that could not be done. */
  async caughtUp(): Promise<void> {
    const { revision } = this.#services.store;
    while (!this.#isClosed && (!this.#hasBegun || this.#checked < revision)) await this.#wake();
  }

  get invariants(): readonly string[] {
    return this.#options.invariants.map(({ name }) => name);
  }

  /** What is known, to who may see what. */
  report(mayGet: MayGet): Promise<InvariantReport> {
    return reportOn(
      this,
      { ...this.#services, chainOf: (write) => this.#chain(write, resourcesByPrefix(this.#services.registry)) },
      mayGet,
    );
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#changesOfStore[Symbol.dispose]();
    this.#retained[Symbol.dispose]();
  }

  #wake(): Promise<void> {
    if (this.#work !== undefined) return this.#work;
    const work = this.#checkAll();
    this.#work = work;
    this.#options.onWork?.(work);
    work.then(
      () => {
        this.#work = undefined;
        // What came in the very turn in which this ended.
        if (!this.#isClosed && this.#checked < this.#services.store.revision) this.#wake();
      },
      (error: unknown) => {
        this.#work = undefined;
        this.#options.onError?.(error);
      },
    );
    return work;
  }

  async #checkAll(): Promise<void> {
    const { store, registry, eventLoop } = this.#services;
    // Not in the turn of the write.
    await Promise.resolve();
    if (!this.#hasBegun) await this.#begin(this.#checked);
    while (!this.#isClosed && this.#checked < store.revision) {
      const names = resourcesByPrefix(registry);
      const found = await this.#changes();
      if (found === undefined) continue;
      for (const [i, change] of found.changes.entries()) {
        if (this.#isClosed) return;
        const isEvaluated = await this.#check(change, names);
        this.#checked = Math.max(this.#checked, change.revision - 1);
        if (isEvaluated || (i + 1) % changesInTurn === 0) await eventLoop.yield();
      }
      this.#checked = found.revision;
    }
  }

  /** Undefined: they are no longer known, and checking goes on behind them. */
  async #changes() {
    const { store } = this.#services;
    try {
      return await changesAfter(this.#services, this.#checked, changesAtOnce);
    } catch (error) {
      if (!(error instanceof CompactedError)) throw error;
      const gap = { after: this.#checked, until: store.compacted };
      await this.#begin(gap.until);
      this.gaps.push(gap);
      return undefined;
    }
  }

  async #begin(revision: number): Promise<void> {
    const names = resourcesByPrefix(this.#services.registry);
    const state = stateAt(this.#services, revision, names);
    for (const invariant of this.#options.invariants) {
      const findings = await invariant.examine(state);
      for (const finding of findings)
        await this.#take(invariant, finding, { revision, at: undefined, change: undefined, object: finding.object, names });
    }
    this.#checked = revision;
    this.#hasBegun = true;
  }

  /** Whether something was evaluated. */
  async #check(change: KeptChange, names: ResourceNames): Promise<boolean> {
    const object = objectAt(change.key, names);
    if (object === undefined) return false;
    const { revision, at } = change;
    const observed = observedChange(this.#services, { revision, object, entry: change.entry, previous: change.previous });
    const state = stateAt(this.#services, revision, names);
    let isEvaluated = false;
    for (const invariant of this.#options.invariants) {
      const findings = await invariant.evaluate(observed, state);
      isEvaluated ||= findings.length > 0;
      for (const finding of findings) await this.#take(invariant, finding, { revision, at, change, object, names });
    }
    return isEvaluated;
  }

  async #take({ name }: Invariant, finding: Finding, at: At): Promise<void> {
    const { subject, problem, isFailure } = finding;
    if (problem === undefined) return this.violations.resolve(name, subject, at.revision, at.at ?? 0);
    if (isFailure === true) return this.#fail(name, at, problem);
    if (this.violations.isKnown(name, subject) || !this.violations.hasRoom(name)) return;
    const violation = await this.#violation(name, finding, problem, at);
    this.violations.add(violation);
    this.#options.onViolation?.(violation);
  }

  async #violation(invariant: string, { subject, related = [], parts }: Finding, problem: string, at: At): Promise<Violation> {
    const { revision, change, object } = at;
    const involved = parts === undefined || object === undefined ? undefined : await this.#involved(parts, object);
    const chain =
      change === undefined || object === undefined
        ? []
        : await this.#chain({ object, revision, note: change.note, related, involved }, at.names);
    return {
      ...{ invariant, subject, problem, object, revision, chain, related, involved },
      key: change?.key ?? this.#keyOf(object),
      uid: await this.#uidOf(change),
      at: at.at,
      note: change?.note,
      orEarlier: change === undefined,
    };
  }

  #involved(parts: FindingParts, written: ObjectName): Promise<readonly ObjectName[] | undefined> {
    const isWritten = ({ group, resource, namespace, name }: ObjectName): boolean =>
      group === written.group && resource === written.resource && namespace === written.namespace && name === written.name;
    return involvedObjects(parts, isWritten, () => this.#services.eventLoop.yield());
  }

  /** Without it a violation is still one. */
  async #chain(write: ViolatingWrite, names: ResourceNames): Promise<readonly ChainStep[]> {
    try {
      return await chainOf(this.#services, write, names);
    } catch (error) {
      this.#options.onError?.(error);
      return [];
    }
  }

  #keyOf(object: ObjectName | undefined): string {
    const resource = object === undefined ? undefined : this.#services.served.find(object.group, object.version, object.resource);
    return object === undefined || resource === undefined ? "" : keyOf(resource, object.namespace ?? "", object.name);
  }

  async #uidOf(change: KeptChange | undefined): Promise<string | undefined> {
    const entry = (await change?.entry()) ?? (await change?.previous());
    return entry === undefined ? undefined : this.#services.cache.objectOf(entry).metadata?.uid;
  }

  #fail(invariant: string, { revision, object }: At, message: string): void {
    const before = this.failures.get(invariant);
    this.failures.set(invariant, before === undefined ? { count: 1, revision, object, message } : { ...before, count: before.count + 1 });
  }
}
