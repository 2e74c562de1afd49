/**
 * Certificate signing requests: approved and cleaned here. They are signed by the API server that takes the approval
 * (docs/adr/0006); on another cluster, by its own controllers.
 */
import {
  type Client,
  type Controller,
  certificateSigningRequests,
  controller,
  done,
  exponentialBackoff,
  maxOfRateLimiters,
  type Outcome,
  type ReconcileContext,
  requeue,
  sharedBucket,
  subjectAccessReviews,
  unlessNotFound,
} from "@coxswain/client";
import type { BuiltInController } from "../built-in-controller.ts";
import { approved, type Csr, type Permission, permissionsFor } from "./approve.ts";
import { certificateEndMs } from "./certificate-end.ts";
import { expiryOf } from "./cleaning.ts";

export const certificateApprovingController: BuiltInController = {
  name: "certificatesigningrequest-approving-controller",
  aliases: ["csrapproving"],
  make: ({ client: { clock } }) => [
    controller<Csr>({
      name: "certificatesigningrequest-approving-controller",
      for: certificateSigningRequests,
      predicate: ({ type }) => type !== "deleted",
      rateLimiter: () => maxOfRateLimiters(exponentialBackoff({ baseMs: 200 }), sharedBucket({ clock })),
      reconcile: (_ref, ctx) => approve(ctx),
    }),
  ],
};

export const certificateCleanerController: BuiltInController = {
  name: "certificatesigningrequest-cleaner-controller",
  aliases: ["csrcleaner"],
  make: () => [cleaning()],
};

const cleaning = (): Controller =>
  controller<Csr>({
    name: "certificatesigningrequest-cleaner-controller",
    for: certificateSigningRequests,
    predicate: ({ type }) => type !== "deleted",
    reconcile: async ({ name }, { object, client, signal }) => {
      const atMs = object === undefined ? undefined : expiryOf(object, certificateEndMs(object.status?.certificate));
      if (object === undefined || atMs === undefined) return done;
      const leftMs = atMs - client.clock.now();
      if (leftMs >= 0) return requeue(leftMs + 1);
      const { uid } = object.metadata ?? {};
      const options = { signal, ...(uid === undefined ? {} : { preconditions: { uid } }) };
      await unlessNotFound(client.resource(certificateSigningRequests).delete(name, options), certificateSigningRequests, name);
      return done;
    },
  });

async function approve({ object: csr, client, log, signal }: ReconcileContext<Csr>): Promise<Outcome> {
  if (csr === undefined) return done;
  const tried: string[] = [];
  for (const permission of permissionsFor(csr)) {
    tried.push(permission.subresource);
    if (!(await isAllowed(csr, permission, client, signal))) continue;
    const next = approved(csr, permission.message, client.clock.now());
    const object = { apiVersion: "certificates.k8s.io/v1", kind: "CertificateSigningRequest", ...next };
    await client
      .resource(certificateSigningRequests)
      .subresource(csr.metadata?.name ?? "", "approval")
      .update(object, { signal });
    return done;
  }
  if (tried.length === 0) return done;
  log.debug({ tried }, "a request was recognized, but its requester is not allowed to make it");
  // Who may make it can change at any time, and nothing tells.
  return requeue(0);
}

async function isAllowed({ spec }: Csr, { subresource }: Permission, client: Client, signal: AbortSignal): Promise<boolean> {
  const { username, uid, groups, extra } = spec ?? {};
  const resourceAttributes = {
    group: "certificates.k8s.io",
    resource: "certificatesigningrequests",
    subresource,
    verb: "create",
    version: "*",
  };
  const review = await client.resource(subjectAccessReviews).create(
    {
      spec: {
        ...(username === undefined ? {} : { user: username }),
        ...(uid === undefined ? {} : { uid }),
        ...(groups === undefined ? {} : { groups }),
        ...(extra === undefined ? {} : { extra }),
        resourceAttributes,
      },
    },
    { signal },
  );
  return review.status?.allowed === true;
}
