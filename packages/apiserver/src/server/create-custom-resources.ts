import { BuiltIns } from "../extensions/built-ins.ts";
import { CustomResources } from "../extensions/custom-resources.ts";
import { DefinitionController } from "../extensions/definition-controller.ts";
import { InstanceDeletion } from "../extensions/instance-deletion.ts";
import { inlineValidationBudget } from "../offload/request-cost.ts";
import type { ResourceServer } from "./services.ts";

/**
 * What serves CustomResourceDefinitions. Where `keepsStatus`, it accepts and establishes them as well, and ends those that are
 * deleted; otherwise another thread does.
 */
export function createCustomResources(server: ResourceServer, keepsStatus: boolean): CustomResources {
  const { store, cache, served, definitions } = server.storage;
  const { registry, deleteEntry, watches } = server.objects;
  const { clock, random, log, metrics } = server.system;
  const { webhooks } = server.network;
  const isShared = store.freshen !== undefined;
  const builtIns = new BuiltIns(definitions);
  const deletion = { store, served, definitions, builtIns, deleteEntry, random };
  const createDeletion: ConstructorParameters<typeof DefinitionController>[0]["createDeletion"] = (of) =>
    new InstanceDeletion(deletion, of);
  return new CustomResources({
    reader: { store, cache, served },
    definitions,
    watches,
    conversion: { webhooks, random, clock, metrics },
    validationBudget: server.offload === undefined ? undefined : (stats) => inlineValidationBudget(clock, stats),
    builtIns,
    controller: keepsStatus ? new DefinitionController({ served, isShared, registry, createDeletion, clock, random, log }) : undefined,
  });
}
