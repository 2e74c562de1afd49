/**
 * Keeps the condition Dangling of FlowSchemas: whether the priority level that one names is missing.
 * @see https://kubernetes.io/docs/concepts/cluster-administration/flow-control/
 */
import { danglingCondition, type flowcontrolV1, isMandatoryLevel } from "@coxswain/api";
import { type Clock, DisposableStack, isConflict, isNotFound, type KubeObject, type RandomSource, wireTime } from "@coxswain/machinery";
import type { Entry, StoreEvent } from "@coxswain/store";
import type { Log } from "../contracts/log.ts";
import type { ServedResource } from "../contracts/served-resource.ts";
import { apply } from "../handlers/apply.ts";
import type { GenericRegistry } from "../registry/generic-registry.ts";
import { systemContext } from "../registry/system-context.ts";
import type { ResponseWriter } from "../responsewriters/response-writer.ts";
import type { ObjectReader } from "../storage/object-reader.ts";
import { keyOf } from "../storage/served-resource.ts";
import { ReconcileLoop } from "./reconcile-loop.ts";

type FlowSchema = Readonly<flowcontrolV1.FlowSchema & KubeObject>;

const apiVersion = "flowcontrol.apiserver.k8s.io/v1";
const fieldManager = "api-priority-and-fairness-config-consumer-v1";

interface FlowSchemaStatusOptions {
  readonly reader: ObjectReader;
  readonly registry: GenericRegistry;
  readonly responses: ResponseWriter;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly log: Log;
}

export class FlowSchemaStatus implements AsyncDisposable {
  readonly #options: FlowSchemaStatusOptions;
  readonly #schemas: ServedResource | undefined;
  readonly #levels: ServedResource | undefined;
  readonly #loop: ReconcileLoop;
  readonly #subscriptions = new DisposableStack();

  constructor(options: FlowSchemaStatusOptions) {
    const { reader, clock, log } = options;
    this.#options = options;
    this.#schemas = reader.served.find("flowcontrol.apiserver.k8s.io", "v1", "flowschemas");
    this.#levels = reader.served.find("flowcontrol.apiserver.k8s.io", "v1", "prioritylevelconfigurations");
    this.#loop = new ReconcileLoop({ clock, log, what: "conditions of FlowSchemas" }, () => this.#reconcile());
  }

  /** Reconciles all of them now, for an earlier server may have left them, and again with each change from now on. */
  start(): void {
    if (this.#schemas === undefined || this.#levels === undefined) return;
    const { store } = this.#options.reader;
    const after = store.revision;
    const changed = (): void => this.#loop.trigger();
    this.#subscriptions.use(store.subscribe(this.#schemas.prefix, { after }, changed));
    // A level's own status says nothing of whether it is there.
    const comesOrGoes = ({ type, previous }: StoreEvent): boolean => type !== "put" || previous === undefined;
    this.#subscriptions.use(store.subscribe(this.#levels.prefix, { after }, ({ events }) => events.some(comesOrGoes) && changed()));
    changed();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#subscriptions[Symbol.dispose]();
    await this.#loop[Symbol.asyncDispose]();
  }

  async #reconcile(): Promise<void> {
    const { store, cache } = this.#options.reader;
    const [schemas, levels] = [this.#schemas, this.#levels];
    if (schemas === undefined || levels === undefined) return;
    const [found, there] = await Promise.all([store.list(schemas.prefix), store.list(levels.prefix)]);
    const names = new Set(there.entries.map((entry) => entry.key));
    const exists = (level: string): boolean => isMandatoryLevel(level) || names.has(keyOf(levels, "", level));
    await Promise.all(found.entries.map((entry: Entry) => this.#settle(schemas, cache.objectOf(entry) as FlowSchema, exists)));
  }

  async #settle(schemas: ServedResource, { metadata, spec, status }: FlowSchema, exists: (level: string) => boolean): Promise<void> {
    const { registry, responses, clock, random } = this.#options;
    const { name = "", uid } = metadata ?? {};
    const level = spec?.priorityLevelConfiguration.name ?? "";
    const wanted = danglingCondition(level, exists(level));
    const current = status?.conditions?.find(({ type }) => type === wanted.type);
    if (current?.status === wanted.status && current?.reason === wanted.reason && current?.message === wanted.message) return;
    const { type, status: state, ...why } = wanted;
    const condition = { type, status: state, lastTransitionTime: wireTime(clock.now()), ...why };
    const applied = { apiVersion, kind: "FlowSchema", metadata: { name, uid }, status: { conditions: [condition] } };
    const context = systemContext(random, schemas, { component: "kube-apiserver", verb: "update", name, subresource: "status" });
    const query = new URLSearchParams({ fieldManager, force: "true" });
    try {
      await apply({ registry, responses }, { ...context, query, body: Buffer.from(JSON.stringify(applied)) }, "status");
    } catch (error) {
      // It went meanwhile; another of its name is reconciled by itself.
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
  }
}
