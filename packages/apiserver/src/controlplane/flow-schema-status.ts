/**
 * Keeps the condition Dangling of FlowSchemas: whether the priority level that one names is missing.
 * @see https://kubernetes.io/docs/concepts/cluster-administration/flow-control/
 */
import { danglingCondition, type flowcontrolV1, isMandatoryLevel } from "@coxswain/api";
import { isConflict, isNotFound, type KubeObject, wireTime } from "@coxswain/machinery";
import type { Entry, StoreEvent } from "@coxswain/store";
import type { ServerContext } from "../context.ts";
import type { ServedResource } from "../contracts/served-resource.ts";
import { apply } from "../handlers/apply.ts";
import { systemContext } from "../registry/system-context.ts";
import { keyOf } from "../storage/served-resource.ts";
import { ReconcileLoop } from "./reconcile-loop.ts";

type FlowSchema = Readonly<flowcontrolV1.FlowSchema & KubeObject>;

const apiVersion = "flowcontrol.apiserver.k8s.io/v1";
const fieldManager = "api-priority-and-fairness-config-consumer-v1";

export class FlowSchemaStatus implements AsyncDisposable {
  readonly #server: ServerContext;
  readonly #schemas: ServedResource | undefined;
  readonly #levels: ServedResource | undefined;
  readonly #loop: ReconcileLoop;
  readonly #subscriptions = new DisposableStack();

  constructor(server: ServerContext) {
    this.#server = server;
    this.#schemas = server.served.find("flowcontrol.apiserver.k8s.io", "v1", "flowschemas");
    this.#levels = server.served.find("flowcontrol.apiserver.k8s.io", "v1", "prioritylevelconfigurations");
    this.#loop = new ReconcileLoop({ ...server, what: "conditions of FlowSchemas" }, () => this.#reconcile());
  }

  /** Looks at all of them now, for an earlier server may have left them, and at each change from now on. */
  start(): void {
    if (this.#schemas === undefined || this.#levels === undefined) return;
    const { store } = this.#server;
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
    const { store, cache } = this.#server;
    const [schemas, levels] = [this.#schemas, this.#levels];
    if (schemas === undefined || levels === undefined) return;
    const [found, there] = await Promise.all([store.list(schemas.prefix), store.list(levels.prefix)]);
    const names = new Set(there.entries.map((entry) => entry.key));
    const exists = (level: string): boolean => isMandatoryLevel(level) || names.has(keyOf(levels, "", level));
    await Promise.all(found.entries.map((entry: Entry) => this.#settle(schemas, cache.objectOf(entry) as FlowSchema, exists)));
  }

  async #settle(schemas: ServedResource, { metadata, spec, status }: FlowSchema, exists: (level: string) => boolean): Promise<void> {
    const { name = "", uid } = metadata ?? {};
    const level = spec?.priorityLevelConfiguration.name ?? "";
    const wanted = danglingCondition(level, exists(level));
    const current = status?.conditions?.find(({ type }) => type === wanted.type);
    if (current?.status === wanted.status && current?.reason === wanted.reason && current?.message === wanted.message) return;
    const condition = { ...wanted, lastTransitionTime: wireTime(this.#server.clock.now()) };
    const applied = { apiVersion, kind: "FlowSchema", metadata: { name, uid }, status: { conditions: [condition] } };
    const context = systemContext(this.#server, schemas, { component: "kube-apiserver", verb: "update", name, subresource: "status" });
    const query = new URLSearchParams({ fieldManager, force: "true" });
    try {
      const services = { registry: this.#server.objects, responses: this.#server.responses };
      await apply(services, { ...context, query, body: Buffer.from(JSON.stringify(applied)) }, "status");
    } catch (error) {
      // It went meanwhile; another of its name is looked at by itself.
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
  }
}
