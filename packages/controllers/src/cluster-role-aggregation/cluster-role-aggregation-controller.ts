import {
  clusterRoles,
  controller,
  done,
  type KubeObject,
  type Lister,
  type ObjectRef,
  type Outcome,
  type ReconcileContext,
  watching,
} from "@coxswain/client";
import { apiVersionOf } from "@coxswain/machinery";
import type { BuiltInController } from "../contracts/built-in-controller.ts";
import { type ClusterRole, type ObservedRole, plan, type Rule } from "./plan.ts";

/**
 * The clusterrole-aggregation-controller fills ClusterRoles that aggregate others, such as `admin`, `edit` and `view`.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/rbac/#aggregated-clusterroles
 */
export const clusterRoleAggregationController: BuiltInController = {
  name: "clusterrole-aggregation-controller",
  serviceAccount: "clusterrole-aggregation-controller",
  aliases: ["clusterrole-aggregation"],
  make: () => [
    controller<ClusterRole>({
      name: "clusterrole-aggregation-controller",
      for: clusterRoles,
      predicate: ({ object }) => object.aggregationRule !== undefined,
      // A change of any role may concern each aggregated one.
      watches: [watching(clusterRoles, (_role, _change, { main }) => aggregated(main()))],
      concurrency: 5,
      reconcile: async ({ name }, ctx): Promise<Outcome> => {
        const observed = observe(ctx);
        const rules = observed && plan(observed);
        if (rules !== undefined) await act(ctx, name, rules);
        return done;
      },
    }),
  ],
};

const aggregated = (roles: Lister): readonly ObjectRef[] =>
  roles
    .list()
    .flatMap(({ metadata, aggregationRule }: KubeObject) => (aggregationRule === undefined ? [] : [{ name: metadata?.name ?? "" }]));

const observe = ({ object, cache }: ReconcileContext<ClusterRole>): ObservedRole | undefined =>
  object?.aggregationRule === undefined ? undefined : { role: object, all: cache(clusterRoles).list() };

async function act({ client, signal }: ReconcileContext<ClusterRole>, name: string, rules: readonly Rule[]): Promise<void> {
  const applied: ClusterRole = { apiVersion: apiVersionOf(clusterRoles), kind: clusterRoles.kind, metadata: { name }, rules: [...rules] };
  await client.resource(clusterRoles).apply(applied, { fieldManager: "clusterrole-aggregation-controller", force: true, signal });
}
