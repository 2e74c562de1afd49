/** Signs what was approved: with the approval itself, and at the start what a crash left between the two. */

import { type certificatesV1, ruleOf } from "@coxswain/api";
import { isNotFound, type KubeObject } from "@coxswain/machinery";
import { parseSigningRequest } from "@coxswain/pki/node";
import type { RequestContext, ServerContext } from "../../../context.ts";
import type { ServedResource } from "../../../contracts/served-resource.ts";
import { wholeSeconds } from "../../../registry/metadata.ts";
import { systemContext } from "../../../registry/system-context.ts";
import { updateObject } from "../../../registry/update.ts";
import { cloneJson } from "../../../storage/clone-json.ts";
import { prefixOf } from "../../../storage/served-resource.ts";
import { certify } from "./signers.ts";

type Csr = certificatesV1.CertificateSigningRequest;

export async function signApproved(server: ServerContext): Promise<void> {
  const resource = server.served.find("certificates.k8s.io", "v1", "certificatesigningrequests");
  if (resource === undefined) return;
  const { entries } = await server.store.list(prefixOf(resource, ""));
  for (const entry of entries) {
    const csr = server.cache.objectOf(entry) as Readonly<Csr>;
    if (isDue(csr)) await signNamed(server, resource, csr.metadata?.name ?? "");
  }
}

/** Milliseconds; each time twice as long. */
const retry = { firstMs: 1_000, lastMs: 64_000 };

/** The approval stands whatever becomes of this: it is tried again for a while, and with the next start. */
export async function signNamed(server: ServerContext, resource: ServedResource, name: string, retryMs = retry.firstMs): Promise<void> {
  if (server.authority === undefined) return;
  try {
    await updateObject(signerContext(server, resource, name), name, {
      part: "status",
      dryRun: false,
      next: (current) => signed(server, cloneJson(current as Csr)),
    });
  } catch (error) {
    if (isNotFound(error)) return;
    server.log.error({ error, certificateSigningRequest: name }, "failed to sign an approved request");
    if (retryMs <= retry.lastMs) server.clock.schedule(retryMs, () => void signNamed(server, resource, name, 2 * retryMs)).unref();
  }
}

/** Changed in place; what is not due stays as it is, and so is not written. */
function signed(server: ServerContext, csr: Csr): KubeObject {
  const { authority, clock, random } = server;
  const rule = ruleOf(csr.spec?.signerName ?? "");
  if (authority === undefined || rule === undefined || !isDue(csr)) return csr;
  const { request = "", usages = [], expirationSeconds } = csr.spec ?? {};
  const parsed = parseSigningRequest(request);
  const problem = rule(parsed, usages);
  const status = { ...csr.status };
  if (problem === undefined) {
    const pem = certify(parsed, { usages, expirationSeconds }, { authority, now: clock.now(), random });
    csr.status = { ...status, certificate: Buffer.from(pem).toString("base64") };
  } else {
    const lastUpdateTime = wholeSeconds(clock.now());
    const failed = { type: "Failed", status: "True", reason: "SignerValidationFailure", message: problem, lastUpdateTime };
    csr.status = { ...status, conditions: [...(status.conditions ?? []), failed] };
  }
  return csr;
}

function isDue({ status }: Readonly<Csr>): boolean {
  const has = (wanted: string): boolean =>
    status?.conditions?.some(({ type, status: state }) => type === wanted && state === "True") ?? false;
  const denied = status?.conditions?.some(({ type }) => type === "Denied") ?? false;
  return !status?.certificate && has("Approved") && !denied && !has("Failed");
}

/** Signing is the controller manager's business in Kubernetes: who looks at the history finds that name. */
const signerContext = (server: ServerContext, resource: ServedResource, name: string): RequestContext =>
  systemContext(server, resource, { component: "kube-controller-manager", verb: "update", name, subresource: "status" });
