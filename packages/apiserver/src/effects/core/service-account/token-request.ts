/**
 * A token for a service account, made on request: POST to `/serviceaccounts/NAME/token`.
 * @see https://kubernetes.io/docs/reference/kubernetes-api/authentication-resources/token-request-v1/
 */
import { field, invalid, type KubeObject } from "@coxswain/machinery";
import type { RequestContext } from "../../../context.ts";
import type { Reply } from "../../../contracts/http.ts";
import { decodeBody } from "../../../negotiation/decode-body.ts";
import { metaOf, wholeSeconds } from "../../../registry/metadata.ts";
import { parseWriteOptions } from "../../../request/options.ts";
import { replyObject } from "../../../responsewriters/write-object.ts";
import { claimsOf } from "../../../service-accounts/claims.ts";
import { subresourceAdmission } from "../../admit-subresource.ts";
import { type BoundObjectReference, bondsOf, objectNamed } from "./bound-objects.ts";

interface TokenRequest extends KubeObject {
  spec?: { audiences?: string[] | null; expirationSeconds?: number | null; boundObjectRef?: BoundObjectReference | null };
}

/** Settled: nothing is left out. */
interface Wish {
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

/** A dry run gets a token too: none is stored anywhere. */
export async function requestToken(ctx: RequestContext): Promise<Reply> {
  const { server, info, resource } = ctx;
  const options = parseWriteOptions(ctx.query, "CreateOptions");
  const asked: TokenRequest = await decodeBody(ctx, server.served.tokenRequest, options.fieldValidation);
  const admission = subresourceAdmission(ctx, asked, options.dryRun);
  await server.admission.mutate(admission);
  checkTarget(ctx, asked);
  const account = await objectNamed(ctx, resource.definition.resource, info.name);
  const now = server.clock.now();
  const wish = wishOf(ctx, asked);
  await server.admission.validate(admission);
  const bonds = await bondsOf(ctx, wish.bound);
  const { tokens } = server;
  const lasts =
    bonds.pod !== undefined && wish.seconds === warnOnlySeconds && wish.audiences.every((one) => tokens.apiAudiences.includes(one));
  const token = await tokens.sign(
    claimsOf({
      issuer: tokens.issuer,
      id: server.random.uuid(),
      account,
      bonds,
      audiences: wish.audiences,
      now,
      lifetimeSeconds: lasts ? extendedSeconds : wish.seconds,
      warnAfterSeconds: lasts ? wish.seconds : undefined,
    }),
  );
  const answer: KubeObject = {
    kind: kind.kind,
    apiVersion: server.served.tokenRequest.apiVersion,
    metadata: { ...asked.metadata, name: info.name, namespace: info.namespace, creationTimestamp: wholeSeconds(now) },
    spec: { audiences: wish.audiences, expirationSeconds: wish.seconds, boundObjectRef: wish.bound ?? null },
    status: { token, expirationTimestamp: wholeSeconds(now + wish.seconds * 1000) },
  };
  return replyObject(ctx, 201, answer, server.served.tokenRequest);
}

/** A name and a namespace in the body must be the account's. */
function checkTarget({ info }: RequestContext, asked: TokenRequest): void {
  for (const part of ["name", "namespace"] as const) {
    const given = metaOf(asked)[part] ?? "";
    if (given === "" || given === info[part]) continue;
    throw invalid(kind, info.name, [field.invalid(`metadata.${part}`, given, `must match the service account ${part} if specified`)]);
  }
}

/** @throws invalid() */
function wishOf({ server }: RequestContext, { spec = {} }: TokenRequest): Wish {
  const seconds = spec.expirationSeconds ?? defaultSeconds;
  const audiences = spec.audiences ?? [];
  const path = "spec.expirationSeconds";
  if (seconds < minSeconds) throw invalid(kind, "", [field.invalid(path, seconds, "may not specify a duration less than 10 minutes")]);
  if (seconds > maxSeconds) throw invalid(kind, "", [field.invalid(path, seconds, "may not specify a duration larger than 2^32 seconds")]);
  return { audiences: audiences.length === 0 ? server.tokens.apiAudiences : audiences, seconds, bound: spec.boundObjectRef ?? undefined };
}
