import type { coreV1 } from "@coxswain/api";
import { type Client, resourceQuotas, unlessNotFound } from "@coxswain/client";

/** Writes the status; undefined leaves it as it is. */
export async function act(
  client: Client,
  quota: coreV1.ResourceQuota,
  status: coreV1.ResourceQuotaStatus | undefined,
  signal: AbortSignal,
): Promise<void> {
  if (status === undefined) return;
  const { namespace, name = "" } = quota.metadata ?? {};
  const written = client.resource(resourceQuotas, namespace).updateStatus({ ...quota, status }, { signal });
  await unlessNotFound(written, resourceQuotas, name);
}
