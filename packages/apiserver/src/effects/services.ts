/** What effects can be given: each names those that it needs. */
import type { Clock, RandomSource } from "@coxswain/machinery";
import type { Admission } from "../contracts/admission.ts";
import type { Authenticator } from "../contracts/authenticator.ts";
import type { Authorizer } from "../contracts/authorizer.ts";
import type { ComponentHealth } from "../contracts/component-health.ts";
import type { ResourceMetrics } from "../contracts/resource-metrics.ts";
import type { ServePart } from "../handlers/serve-part.ts";
import type { Kubelets } from "../kubelets/kubelets.ts";
import type { BodyDecoder } from "../negotiation/body-decoder.ts";
import type { RuleSource } from "../rbac/user-rules.ts";
import type { GenericRegistry } from "../registry/generic-registry.ts";
import type { ResponseWriter } from "../responsewriters/response-writer.ts";
import type { ServiceAccountTokens } from "../service-accounts/tokens.ts";
import type { ObjectReader } from "../storage/object-reader.ts";
import type { CertificateSigner } from "./certificates/certificate-signing-request/certificate-signer.ts";

export interface EffectServices {
  readonly reader: ObjectReader;
  readonly registry: GenericRegistry;
  readonly rest: RestServices;
  readonly admission: Admission;
  readonly access: AccessServices;
  readonly cluster: ClusterServices;
  readonly clock: Clock;
  readonly random: RandomSource;
}

/** From a request's bytes to an object, from objects to an answer, and a part of an object read or written by its strategy. */
export interface RestServices {
  readonly servePart: ServePart;
  readonly decoder: BodyDecoder;
  readonly responses: ResponseWriter;
}

/** Authentication and authorization of other users than the client. */
export interface AccessServices {
  readonly authenticate: Authenticator;
  readonly authorize: Authorizer;
  /** Whose rules a review lists, in the order in which they are asked. */
  readonly ruleSources: () => readonly RuleSource[] | Promise<readonly RuleSource[]>;
  readonly tokens: ServiceAccountTokens;
}

/** What else there is of the cluster. */
export interface ClusterServices {
  readonly signer: CertificateSigner;
  /** Undefined where no nodes are behind the server. */
  readonly kubelets: Kubelets | undefined;
  /** Undefined: nothing measures what Pods and Nodes use. */
  readonly resourceMetrics?: ResourceMetrics | undefined;
  readonly componentHealth?: ComponentHealth | undefined;
}
