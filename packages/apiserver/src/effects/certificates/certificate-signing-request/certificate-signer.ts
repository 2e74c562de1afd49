/** Signs what was approved: with the approval itself, and at the start what a crash left between the two. */

import { type certificatesV1, ruleOf } from "@coxswain/api";
import { type Clock, isNotFound, type KubeObject, type RandomSource } from "@coxswain/machinery";
import { CertificateAuthority, parseSigningRequest } from "@coxswain/pki/node";
import type { ClusterAuthority } from "../../../contracts/cluster-authority.ts";
import type { ContentProvider } from "../../../contracts/content-provider.ts";
import type { Log } from "../../../contracts/log.ts";
import type { RequestContext } from "../../../contracts/request-context.ts";
import type { ServedResource } from "../../../contracts/served-resource.ts";
import type { GenericRegistry } from "../../../registry/generic-registry.ts";
import { wholeSeconds } from "../../../registry/metadata.ts";
import { systemContext } from "../../../registry/system-context.ts";
import { cloneJson } from "../../../storage/clone-json.ts";
import { listObjects, type ObjectReader } from "../../../storage/object-reader.ts";
import { certify } from "./signers.ts";

type Csr = certificatesV1.CertificateSigningRequest;

interface CertificateSignerOptions {
  /** Undefined when approved requests are for another component to sign. */
  readonly authority: ContentProvider<ClusterAuthority> | undefined;
  readonly reader: ObjectReader;
  readonly registry: Pick<GenericRegistry, "update">;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly log: Log;
}

/** Milliseconds; each time twice as long. */
const retry = { firstMs: 1_000, lastMs: 64_000 };

const signingRequests = { group: "certificates.k8s.io", version: "v1", resource: "certificatesigningrequests" };

export class CertificateSigner {
  readonly #options: CertificateSignerOptions;
  #known: { readonly of: ClusterAuthority; readonly authority: CertificateAuthority | undefined } | undefined;

  constructor(options: CertificateSignerOptions) {
    this.#options = options;
  }

  /** Signs what an earlier server left. */
  async start(): Promise<void> {
    const stored = await listObjects<Csr & KubeObject>(this.#options.reader, signingRequests);
    for (const csr of stored) if (isDue(csr)) await this.sign(csr.metadata?.name ?? "");
  }

  /** The approval stands whatever becomes of this: it is tried again for a while, and with the next start. */
  async sign(name: string, retryMs = retry.firstMs): Promise<void> {
    const { reader, registry, clock, random, log } = this.#options;
    const authority = this.#authority();
    const resource = reader.served.find(signingRequests.group, signingRequests.version, signingRequests.resource);
    if (authority === undefined || resource === undefined) return;
    try {
      await registry.update(signerContext(random, resource, name), name, {
        part: "status",
        dryRun: false,
        next: (current) => this.#signed(authority, cloneJson(current as Csr)),
      });
    } catch (error) {
      if (isNotFound(error)) return;
      log.error({ error, certificateSigningRequest: name }, "failed to sign an approved request");
      if (retryMs <= retry.lastMs) clock.schedule(retryMs, () => void this.sign(name, 2 * retryMs)).unref();
    }
  }

  /** Undefined where another component signs. */
  #authority(): CertificateAuthority | undefined {
    const of = this.#options.authority?.current;
    if (of === undefined) return undefined;
    if (this.#known?.of !== of)
      this.#known = { of, authority: of.key === undefined ? undefined : new CertificateAuthority({ cert: of.cert, key: of.key }) };
    return this.#known.authority;
  }

  /** Changed in place; what is not due stays as it is, and so is not written. */
  #signed(authority: CertificateAuthority, csr: Csr): KubeObject {
    const { clock, random } = this.#options;
    const rule = ruleOf(csr.spec?.signerName ?? "");
    if (rule === undefined || !isDue(csr)) return csr;
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
}

function isDue({ status }: Readonly<Csr>): boolean {
  const has = (wanted: string): boolean =>
    status?.conditions?.some(({ type, status: state }) => type === wanted && state === "True") ?? false;
  const denied = status?.conditions?.some(({ type }) => type === "Denied") ?? false;
  return !status?.certificate && has("Approved") && !denied && !has("Failed");
}

/** Signing is the controller manager's business in Kubernetes: the history shows that name. */
const signerContext = (random: RandomSource, resource: ServedResource, name: string): RequestContext =>
  systemContext(random, resource, { component: "kube-controller-manager", verb: "update", name, subresource: "status" });
