import {
  type api,
  type Controller,
  clusterRoles,
  controller,
  done,
  type KubeObject,
  type Lister,
  type ObjectRef,
  watching,
} from "@coxswain/client";
import { apiVersionOf, deepEqual } from "@coxswain/machinery";
import type { BuiltInController } from "../built-in-controller.ts";
import { aggregate } from "./aggregate.ts";

type ClusterRole = api.rbacV1.ClusterRole;

/** Fills ClusterRoles that are made of others, such as `admin`, `edit` and `view`. */
export const clusterRoleAggregationController: BuiltInController = {
  name: "clusterrole-aggregation-controller",
  aliases: ["clusterrole-aggregation"],
  make: () => [aggregating()],
};

const aggregating = (): Controller =>
  controller<ClusterRole>({
    name: "clusterrole-aggregation-controller",
    for: clusterRoles,
    predicate: ({ object }) => object.aggregationRule !== undefined,
    // Which roles a change matters to can only be told by looking.
    watches: [watching(clusterRoles, (_role, _change, { main }) => aggregated(main()))],
    concurrency: 5,
    reconcile: async ({ name }, { object, cache, client, signal }) => {
      if (object?.aggregationRule === undefined) return done;
      const rules = aggregate(object, cache(clusterRoles).list());
      if (deepEqual(rules, object.rules ?? [])) return done;
      const applied: ClusterRole = { apiVersion: apiVersionOf(clusterRoles), kind: clusterRoles.kind, metadata: { name }, rules };
      await client.resource(clusterRoles).apply(applied, { fieldManager: "clusterrole-aggregation-controller", force: true, signal });
      return done;
    },
  });

const aggregated = (roles: Lister): readonly ObjectRef[] =>
  roles
    .list()
    .flatMap(({ metadata, aggregationRule }: KubeObject) => (aggregationRule === undefined ? [] : [{ name: metadata?.name ?? "" }]));
