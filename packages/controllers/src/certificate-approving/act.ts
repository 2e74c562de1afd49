/** Approves a request on the first permission that its requester has. */
import {
  type Client,
  certificateSigningRequests,
  done,
  type Outcome,
  type ReconcileContext,
  requeue,
  subjectAccessReviews,
} from "@coxswain/client";
import { approved, type Csr, type Permission } from "./plan.ts";

export async function act({ client, log, signal }: ReconcileContext<Csr>, csr: Csr, permissions: readonly Permission[]): Promise<Outcome> {
  for (const permission of permissions) {
    if (!(await isAllowed(csr, permission, client, signal))) continue;
    const next = approved(csr, permission.message, client.clock.now());
    const object = { apiVersion: "certificates.k8s.io/v1", kind: "CertificateSigningRequest", ...next };
    await client
      .resource(certificateSigningRequests)
      .subresource(csr.metadata?.name ?? "", "approval")
      .update(object, { signal });
    return done;
  }
  if (permissions.length === 0) return done;
  const tried = permissions.map(({ subresource }) => subresource);
  log.debug({ tried }, "failed to approve request: its requester lacks the permission");
  // Permissions can change at any time, and no watch shows that.
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
