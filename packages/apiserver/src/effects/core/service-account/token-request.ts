/**
 * A token for a service account, made on request: POST to `/serviceaccounts/NAME/token`.
 * @see https://kubernetes.io/docs/reference/kubernetes-api/authentication-resources/token-request-v1/
 */

import { field, invalid, type KubeObject } from "@coxswain/machinery";
import { auditRequestObject } from "../../../audit/request-object.ts";
import type { Reply } from "../../../contracts/http.ts";
import type { RequestContext } from "../../../contracts/request-context.ts";
import type { SubresourceEffect } from "../../../handlers/effect.ts";
import { metaOf, wholeSeconds } from "../../../registry/metadata.ts";
import { parseWriteOptions } from "../../../request/options.ts";
import { claimsOf } from "../../../service-accounts/claims.ts";
import { servedSubresource } from "../../../storage/served-resource.ts";
import { subresourceAdmission } from "../../admit-subresource.ts";
import type { AccessServices, EffectServices } from "../../services.ts";
import { type BoundObjectReference, boundObjectRefs, coreObject } from "./bound-object-refs.ts";

interface TokenRequestObject extends KubeObject {
  spec?: { audiences?: string[] | null; expirationSeconds?: number | null; boundObjectRef?: BoundObjectReference | null };
}

/** Settled: nothing is left out. */
interface TokenSpec {
  readonly audiences: readonly string[];
  readonly seconds: number;
  readonly bound: BoundObjectReference | undefined;
}

const kind = { group: "authentication.k8s.io", kind: "TokenRequest" };
const defaultSeconds = 3600;
const minSeconds = 600;
const maxSeconds = 2 ** 32;
/** Kubelets ask for this long on behalf of programs that may read their token only once: it warns then, and ends later. */
const warnOnlySeconds = 3607;
const extendedSeconds = 365 * 24 * 60 * 60;

type TokenServices = Pick<EffectServices, "reader" | "rest" | "admission" | "clock" | "random"> & {
  readonly access: Pick<AccessServices, "tokens">;
};

export const serviceAccountToken: SubresourceEffect<TokenServices> = {
  on: "/serviceaccounts/token",
  answers: "result",
  create: (services) => (ctx) => requestToken(services, ctx),
};

const tokenRequestResource = servedSubresource({
  group: "authentication.k8s.io",
  version: "v1",
  resource: "tokenrequests",
  kind: "TokenRequest",
});

/** A dry run gets a token too: none is stored anywhere. */
async function requestToken(services: TokenServices, ctx: RequestContext): Promise<Reply> {
  const { reader, rest, admission, access, clock, random } = services;
  const { tokens } = access;
  const { info, resource } = ctx;
  const options = parseWriteOptions(ctx.query, "CreateOptions");
  const asked: TokenRequestObject = await rest.decoder.decode(ctx, tokenRequestResource, options.fieldValidation);
  asked.spec = { ...asked.spec, expirationSeconds: asked.spec?.expirationSeconds ?? defaultSeconds };
  auditRequestObject(ctx.audit, asked);
  const attributes = subresourceAdmission(ctx, asked, options.dryRun);
  await admission.mutate(attributes);
  checkTarget(ctx, asked);
  const account = await coreObject(reader, resource.definition.resource, info.namespace, info.name);
  const now = clock.now();
  const request = parseSpec(tokens.apiAudiences, asked);
  // Who validates sees what the token is made of.
  asked.metadata = { ...asked.metadata, name: info.name, namespace: info.namespace, creationTimestamp: wholeSeconds(now) };
  asked.spec = { ...asked.spec, audiences: [...request.audiences], expirationSeconds: request.seconds };
  await admission.validate(attributes);
  const refs = await boundObjectRefs(reader, info, request.bound);
  const lasts =
    refs.pod !== undefined && request.seconds === warnOnlySeconds && request.audiences.every((one) => tokens.apiAudiences.includes(one));
  const id = random.uuid();
  ctx.audit?.annotations.set("authentication.kubernetes.io/issued-credential-id", `JTI=${id}`);
  const token = await tokens.sign(
    claimsOf({
      issuer: tokens.issuer,
      id,
      account,
      refs,
      audiences: request.audiences,
      now,
      lifetimeSeconds: lasts ? extendedSeconds : request.seconds,
      warnAfterSeconds: lasts ? request.seconds : undefined,
    }),
  );
  const answer: KubeObject = {
    kind: kind.kind,
    apiVersion: tokenRequestResource.apiVersion,
    metadata: asked.metadata,
    spec: { audiences: request.audiences, expirationSeconds: request.seconds, boundObjectRef: request.bound ?? null },
    status: { token, expirationTimestamp: wholeSeconds(now + request.seconds * 1000) },
  };
  return rest.responses.object(ctx, 201, answer, tokenRequestResource);
}

/** A name and a namespace in the body must be the account's. */
function checkTarget({ info }: RequestContext, asked: TokenRequestObject): void {
  for (const part of ["name", "namespace"] as const) {
    const given = metaOf(asked)[part] ?? "";
    if (given === "" || given === info[part]) continue;
    throw invalid(kind, info.name, [field.invalid(`metadata.${part}`, given, `must match the service account ${part} if specified`)]);
  }
}

/** @throws invalid() */
function parseSpec(apiAudiences: readonly string[], { spec = {} }: TokenRequestObject): TokenSpec {
  const seconds = spec.expirationSeconds ?? defaultSeconds;
  const audiences = spec.audiences ?? [];
  const path = "spec.expirationSeconds";
  if (seconds < minSeconds) throw invalid(kind, "", [field.invalid(path, seconds, "may not specify a duration less than 10 minutes")]);
  if (seconds > maxSeconds) throw invalid(kind, "", [field.invalid(path, seconds, "may not specify a duration larger than 2^32 seconds")]);
  return { audiences: audiences.length === 0 ? apiAudiences : audiences, seconds, bound: spec.boundObjectRef ?? undefined };
}
