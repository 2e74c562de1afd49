/**
 * Keeps the FlowSchemas and priority levels that every cluster has: those that were deleted come back, and those that nobody has
 * taken over are as this server knows them.
 * @see https://kubernetes.io/docs/concepts/cluster-administration/flow-control/#maintenance-of-the-mandatory-and-suggested-configuration-objects
 */
import { type flowcontrolV1, flowSchemas, isMandatoryLevel, priorityLevels } from "@coxswain/api";
import { type Clock, DisposableStack, deepEqual, type KubeObject, wireTime } from "@coxswain/machinery";
import type { Log } from "../contracts/log.ts";
import type { ServedResource } from "../contracts/served-resource.ts";
import type { ObjectReader } from "../storage/object-reader.ts";
import { keyOf } from "../storage/served-resource.ts";
import type { ObjectKeeper } from "./object-keeper.ts";
import { ReconcileLoop } from "./reconcile-loop.ts";

type Kept = KubeObject & { spec?: flowcontrolV1.FlowSchemaSpec | flowcontrolV1.PriorityLevelConfigurationSpec };

interface FlowControlObjectsOptions {
  readonly reader: ObjectReader;
  readonly keeper: ObjectKeeper;
  readonly clock: Clock;
  readonly log: Log;
}

const group = "flowcontrol.apiserver.k8s.io";
const autoUpdate = "apf.kubernetes.io/autoupdate-spec";

export class FlowControlObjects implements AsyncDisposable {
  readonly #options: FlowControlObjectsOptions;
  readonly #loop: ReconcileLoop;
  readonly #subscriptions = new DisposableStack();

  constructor(options: FlowControlObjectsOptions) {
    const { clock, log } = options;
    this.#options = options;
    this.#loop = new ReconcileLoop({ clock, log, what: "FlowSchemas and priority levels of every cluster" }, () => this.#reconcile());
  }

  /** Now, for an earlier server may have left others, and again with each change. */
  start(): void {
    const { store } = this.#options.reader;
    for (const { prefix } of [this.#served("prioritylevelconfigurations"), this.#served("flowschemas")].filter((one) => one !== undefined))
      this.#subscriptions.use(store.subscribe(prefix, { after: store.revision }, () => this.#loop.trigger()));
    this.#loop.trigger();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#subscriptions[Symbol.dispose]();
    await this.#loop[Symbol.asyncDispose]();
  }

  async #reconcile(): Promise<void> {
    const levels = this.#served("prioritylevelconfigurations");
    const schemas = this.#served("flowschemas");
    if (levels === undefined || schemas === undefined) return;
    for (const level of priorityLevels()) await this.#keep(levels, level);
    for (const schema of flowSchemas(wireTime(this.#options.clock.now()))) await this.#keep(schemas, schema);
  }

  async #keep(resource: ServedResource, wanted: Kept): Promise<void> {
    const { reader, keeper } = this.#options;
    const { entry } = await reader.store.get(keyOf(resource, "", wanted.metadata?.name ?? ""));
    if (entry !== undefined && !amended(structuredClone(reader.cache.objectOf(entry)) as Kept, wanted)) keeper.noteRight(entry);
    // A server of another version may want another: then the last that was started has its way.
    else await keeper.keep(wanted, (current, isOthers) => void (isOthers || amended(current as Kept, wanted)));
  }

  #served(resource: string): ServedResource | undefined {
    return this.#options.reader.served.find(group, "v1", resource);
  }
}

/** Puts an object right, in place. @returns whether that changed it */
function amended(current: Kept, wanted: Kept): boolean {
  const { metadata = {}, spec } = current;
  const isMandatory = isMandatoryLevel(metadata.name ?? "");
  const follows = isMandatory || followsServer(metadata);
  const isMarked = booleanOf(metadata.annotations?.[autoUpdate]) === follows;
  const isRight = !follows || deepEqual(spec ?? {}, specFor(wanted, spec) ?? {});
  if (isMarked && isRight) return false;
  if (!isMarked) current.metadata = { ...metadata, annotations: { ...metadata.annotations, [autoUpdate]: String(follows) } };
  if (!isRight) Object.assign(current, { spec: specFor(wanted, spec) });
  return true;
}

/** What the annotation says; where it says nothing, an object that nobody has changed follows. */
const followsServer = ({ annotations, generation }: NonNullable<KubeObject["metadata"]>): boolean =>
  booleanOf(annotations?.[autoUpdate]) ?? generation === 1;

/** How much the exempt level has and lends is for the cluster's administrators to say. */
function specFor({ spec: wanted }: Kept, current: Kept["spec"]): Kept["spec"] {
  if (wanted === undefined || !("exempt" in wanted) || current === undefined || !("exempt" in current)) return wanted;
  return { ...wanted, exempt: { ...wanted.exempt, ...current.exempt } };
}

const trueTexts = new Set(["1", "t", "T", "TRUE", "true", "True"]);
const falseTexts = new Set(["0", "f", "F", "FALSE", "false", "False"]);

const booleanOf = (text = ""): boolean | undefined => (trueTexts.has(text) ? true : falseTexts.has(text) ? false : undefined);
