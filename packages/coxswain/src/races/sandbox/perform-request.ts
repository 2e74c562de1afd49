/** Makes planned requests with a client. */
import type { ResourceClient } from "@coxswain/client";
import type { KubeObject } from "@coxswain/machinery";
import type { PlannedRequest } from "./plan-request.ts";

/** To the object of that name. @throws StatusError */
export async function performRequest(
  client: ResourceClient<KubeObject>,
  planned: PlannedRequest,
  { name, manager }: { readonly name: string; readonly manager: string },
): Promise<void> {
  switch (planned.verb) {
    case "get":
      return void (await client.get(name));
    case "update":
      return void (await (planned.subresource === undefined ? client.update(planned.object) : client.updateStatus(planned.object)));
    case "patch":
      return void (await client.patch(name, { type: "merge", patch: planned.patch }));
    case "apply":
      return void (await client.apply(planned.object, { fieldManager: manager, force: planned.force }));
  }
}

/** For which the scheduler has to make room. */
export const urgentPod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "urgent" },
  spec: { priorityClassName: "important", containers: [{ name: "main", image: "web:1", resources: { requests: { cpu: "32" } } }] },
};
