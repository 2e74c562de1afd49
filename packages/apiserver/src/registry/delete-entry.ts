/** Deleting one of several objects, each on its own. */
import type { Entry } from "@coxswain/store";
import type { RequestContext } from "../contracts/request-context.ts";
import type { DeleteOptions } from "../request/options.ts";
import type { GenericRegistry } from "./generic-registry.ts";
import { namespacedName } from "./namespaced-name.ts";

/** @throws notFound() when it is gone meanwhile, and what else a deletion throws */
export type DeleteEntry = (ctx: RequestContext, entry: Entry, options: DeleteOptions) => Promise<void>;

export const createDeleteEntry =
  (registry: Pick<GenericRegistry, "delete">): DeleteEntry =>
  async (ctx, entry, options) => {
    const { namespace, name } = namespacedName(ctx.resource, entry);
    await registry.delete(ctx, namespace, name, options);
  };
