/**
 * Says each ten seconds that a node lives, by its Lease: that costs less than a status.
 * @see https://kubernetes.io/docs/concepts/architecture/nodes/#node-heartbeats
 */
import { type api, type Client, isObjectNotFound, leases, unlessNotFound } from "@coxswain/client";
import { isConflict, type RandomSource, sleep, wireMicroTime } from "@coxswain/machinery";

type Lease = api.coordinationV1.Lease;

export interface LeaseOptions {
  readonly client: Client;
  readonly node: string;
  readonly uid: () => string | undefined;
  readonly random: RandomSource;
  readonly log: { warn(fields: object, message: string): void };
}

const leaseSeconds = 40;
/** A quarter of it, so that three renewals may be lost; */
const renewMs = 10_000;
/** and up to four hundredths more, so that the nodes of a cluster do not all come at once. */
const jitter = 0.04;
/** After a failure: twice as long each time, and up to half of that more. */
const firstRetryMs = 200;
const maxRetryMs = 7_000;
const retryJitter = 0.5;

export async function keepLease({ client, node, uid, random, log }: LeaseOptions, signal: AbortSignal): Promise<void> {
  const resource = client.resource(leases, "kube-node-lease");
  let known: Lease | undefined;
  const renew = async (): Promise<void> => {
    const renewTime = wireMicroTime(client.clock.now());
    if (known === undefined) known = await unlessNotFound(resource.get(node, { signal }), leases, node);
    const spec = { ...known?.spec, holderIdentity: node, leaseDurationSeconds: leaseSeconds, renewTime };
    known =
      known === undefined
        ? await resource.create({ metadata: { name: node, ...ownedBy(node, uid()) }, spec }, { signal })
        : await resource.update({ ...known, spec }, { signal });
  };
  for (let failures = 0; !signal.aborted; ) {
    let pauseMs = renewMs * (1 + jitter * random.next());
    try {
      await renew();
      failures = 0;
    } catch (error) {
      if (signal.aborted) return;
      // The Lease is read again; no other client keeps renewing a node's Lease.
      known = undefined;
      pauseMs = Math.min(firstRetryMs * 2 ** failures++, maxRetryMs) * (1 + retryJitter * random.next());
      if (!isConflict(error) && !isObjectNotFound(error, leases, node)) log.warn({ error }, "failed to renew the node's Lease");
    }
    await sleep(client.clock, pauseMs, signal).catch(() => undefined);
  }
}

/** It goes with its Node. */
const ownedBy = (name: string, uid: string | undefined) =>
  uid === undefined ? {} : { ownerReferences: [{ apiVersion: "v1", kind: "Node", name, uid }] };
