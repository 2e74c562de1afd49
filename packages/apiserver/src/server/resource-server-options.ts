/** What of the options of a server its part for resources is made with. */
import type { ResourceRegistry } from "@coxswain/api";
import type { Store } from "@coxswain/store";
import type { AdmissionChoice } from "../contracts/admission.ts";
import type { Authenticator } from "../contracts/authenticator.ts";
import type { Authorizer } from "../contracts/authorizer.ts";
import type { ClusterAuthority } from "../contracts/cluster-authority.ts";
import { type ContentProvider, providerOf } from "../contracts/content-provider.ts";
import type { ServingOptions } from "../contracts/serving-options.ts";
import type { OffloadHost } from "../offload/thread-handle.ts";
import type { ServerAuthentication } from "./create-authentication.ts";
import { offloaderFor } from "./create-offloader.ts";
import type { AccessOptions, ClusterOptions, ResourceServerOptions } from "./create-resource-server.ts";
import type { SystemServices } from "./services.ts";

interface ServerParts
  extends SystemServices,
    Pick<AccessOptions, "ruleSources" | "serviceAccountKey" | "tokenOptions">,
    Omit<ClusterOptions, "authority"> {
  readonly store: Store;
  readonly registry?: ResourceRegistry;
  readonly authenticators: readonly Authenticator[];
  readonly authentication: ServerAuthentication;
  readonly authorizer: Authorizer;
  readonly authority?: ClusterAuthority | ContentProvider<ClusterAuthority>;
  readonly admission?: AdmissionChoice;
  readonly serving?: ServingOptions | undefined;
  readonly offload?: "thread";
  /** Called for definitions that the other thread has written objects for, by an older state of theirs. */
  readonly onOutdated: OffloadHost["onOutdated"];
}

export function resourceServerOptions(parts: ServerParts): ResourceServerOptions {
  const { store, registry, clock, random, log, metrics, admission, serving, authenticators, authentication, authorizer } = parts;
  const { serviceAccountKey, tokenOptions, ruleSources, resourceMetrics, componentHealth } = parts;
  const { kubelets, serviceIpRanges, serviceNodePorts, serviceRouting, ownAddress } = parts;
  const network = { kubelets, serviceIpRanges, serviceNodePorts, serviceRouting, ownAddress };
  const authority = parts.authority && providerOf(parts.authority);
  const thread = { ...network, serviceAccountKey, tokenOptions, authority, admission, onOutdated: parts.onOutdated, clock };
  return {
    system: { clock, random, log, metrics },
    storage: { store, definitions: registry },
    access: {
      serviceAccountKey,
      tokenOptions,
      createAuthenticator: (tokens, reader) => authentication.authenticator(authenticators, tokens, reader),
      authorize: authorizer,
      ruleSources,
    },
    cluster: { ...network, authority, resourceMetrics, componentHealth },
    admission,
    minRequestTimeoutMs: serving?.minRequestTimeoutMs,
    maxContendedReadMs: serving?.maxContendedReadMs,
    offload: parts.offload === "thread" ? offloaderFor({ ...thread, requestTimeoutMs: serving?.requestTimeoutMs }) : undefined,
  };
}
