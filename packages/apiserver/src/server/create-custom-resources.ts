import type { ServerContext } from "../context.ts";
import { BuiltIns } from "../extensions/built-ins.ts";
import { CustomResources } from "../extensions/custom-resources.ts";
import { DefinitionController } from "../extensions/definition-controller.ts";
import { InstanceDeletion } from "../extensions/instance-deletion.ts";
import { inlineValidationBudget } from "../offload/request-cost.ts";

/**
 * What serves CustomResourceDefinitions. Where `keepsStatus`, it accepts and establishes them as well, and ends those that are
 * deleted; otherwise another thread does.
 */
export function createCustomResources(server: ServerContext, keepsStatus: boolean): CustomResources {
  const { store, cache, served, registry: definitions, objects: registry, clock, random, log, watches, webhooks, metrics } = server;
  const builtIns = new BuiltIns(definitions);
  const { deleteEntry } = server;
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
    controller: keepsStatus ? new DefinitionController({ served, registry, createDeletion, clock, random, log }) : undefined,
  });
}
