import type { Node } from "@coxswain/types/core-v1";
import { ageColumn, defineColumns, nameColumn } from "../../../table/columns.ts";

export const nodeColumns = defineColumns<Node>([
  nameColumn,
  {
    name: "Status",
    type: "string",
    description: "Whether the Node is ready and open for new Pods.",
    value: (obj) => statusCell(obj) + (obj.spec?.unschedulable ? ",SchedulingDisabled" : ""),
  },
  {
    name: "Roles",
    type: "string",
    description: "Roles from the node-role.kubernetes.io labels.",
    value: ({ metadata }) => roles(metadata?.labels ?? {}).join(",") || "<none>",
  },
  ageColumn,
  {
    name: "Version",
    type: "string",
    description: "Version of the kubelet.",
    value: ({ status }) => status?.nodeInfo?.kubeletVersion ?? "",
  },
  {
    name: "Internal-IP",
    type: "string",
    priority: 1,
    description: "Address inside the cluster.",
    value: (obj) => addressCell(obj, "InternalIP"),
  },
  {
    name: "External-IP",
    type: "string",
    priority: 1,
    description: "Address outside the cluster.",
    value: (obj) => addressCell(obj, "ExternalIP"),
  },
  {
    name: "OS-Image",
    type: "string",
    priority: 1,
    description: "Operating system.",
    value: ({ status }) => status?.nodeInfo?.osImage || "<unknown>",
  },
  { name: "Kernel-Version", type: "string", priority: 1, description: "Version of the kernel.", value: kernelCell },
  {
    name: "Container-Runtime",
    type: "string",
    priority: 1,
    description: "Container runtime and its version.",
    value: ({ status }) => status?.nodeInfo?.containerRuntimeVersion || "<unknown>",
  },
]);

const addressCell = ({ status }: Readonly<Node>, type: string): string =>
  status?.addresses?.find((address) => address.type === type)?.address ?? "<none>";

function roles(labels: Readonly<Record<string, string>>): string[] {
  const found = new Set<string>();
  for (const [key, value] of Object.entries(labels)) {
    if (key.startsWith(rolePrefix) && key.length > rolePrefix.length) found.add(key.slice(rolePrefix.length));
    else if (key === "kubernetes.io/role" && value !== "") found.add(value);
  }
  return [...found].sort();
}

const rolePrefix = "node-role.kubernetes.io/";

function statusCell({ status }: Readonly<Node>): string {
  const ready = status?.conditions?.findLast(({ type }) => type === "Ready");
  if (ready === undefined) return "Unknown";
  return ready.status === "True" ? "Ready" : "NotReady";
}

function kernelCell({ status }: Readonly<Node>): string {
  const { kernelVersion, architecture } = status?.nodeInfo ?? {};
  const kernel = kernelVersion || "<unknown>";
  return architecture ? `${kernel} (${architecture})` : kernel;
}
