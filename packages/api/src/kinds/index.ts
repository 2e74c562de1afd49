/** Every built-in kind's behaviour. A kind that is not listed takes the defaults of KindBehaviour. */
import type { KindBehaviour } from "../kind.ts";
import { lease } from "./coordination/lease.ts";
import { configMap } from "./core/config-map.ts";
import { endpoints } from "./core/endpoints.ts";
import { event } from "./core/event.ts";
import { namespace } from "./core/namespace.ts";
import { node } from "./core/node.ts";
import { persistentVolume } from "./core/persistent-volume.ts";
import { persistentVolumeClaim } from "./core/persistent-volume-claim.ts";
import { secret } from "./core/secret.ts";
import { service } from "./core/service.ts";
import { serviceAccount } from "./core/service-account.ts";
import { ingress } from "./networking/ingress.ts";
import { ingressClass } from "./networking/ingress-class.ts";
import { podDisruptionBudget } from "./policy/pod-disruption-budget.ts";
import { clusterRole } from "./rbac/cluster-role.ts";
import { clusterRoleBinding } from "./rbac/cluster-role-binding.ts";
import { role } from "./rbac/role.ts";
import { roleBinding } from "./rbac/role-binding.ts";

export const kinds: readonly KindBehaviour[] = [
  clusterRole,
  clusterRoleBinding,
  configMap,
  endpoints,
  event,
  ingress,
  ingressClass,
  lease,
  namespace,
  node,
  persistentVolume,
  persistentVolumeClaim,
  podDisruptionBudget,
  role,
  roleBinding,
  secret,
  service,
  serviceAccount,
];
