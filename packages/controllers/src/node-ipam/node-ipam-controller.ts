import { type coreV1, podCidrsOf } from "@coxswain/api";
import { controller, done, isConflict, isObjectNotFound, nodes, type Outcome, type ReconcileContext } from "@coxswain/client";
import type { BuiltInController } from "../contracts/built-in-controller.ts";
import { NodeCidrAllocator } from "./allocator.ts";

type Node = coreV1.Node;

/**
 * The node-ipam-controller gives each Node that has none a range for the addresses of its Pods, of each family that the cluster's
 * ranges have. It runs where these are known: as with kube-controller-manager's `--allocate-node-cidrs` and `--cluster-cidr`.
 */
export const nodeIpamController: BuiltInController = {
  name: "node-ipam-controller",
  serviceAccount: "node-controller",
  aliases: ["nodeipam"],
  make: ({ settings: { nodeIpam } }) => {
    if (nodeIpam === undefined || nodeIpam.clusterCidrs.length === 0) return [];
    const allocator = new NodeCidrAllocator(nodeIpam);
    let isSeeded = false;
    return [
      controller<Node>({
        name: "node-ipam-controller",
        component: "cidrAllocator",
        for: nodes,
        reconcile: async ({ name }, ctx): Promise<Outcome> => {
          // No range is given before it is known which ones the Nodes of now have.
          if (!isSeeded) for (const node of ctx.cache(nodes).list()) note(allocator, node);
          isSeeded = true;
          await act(ctx, name, { allocator, planned: plan(observe(ctx)) });
          return done;
        },
      }),
    ];
  },
};

const observe = ({ object }: ReconcileContext<Node>): Node | undefined => object;

type RangePlan =
  | { readonly do: "release" }
  | { readonly do: "occupy"; readonly ranges: readonly string[] }
  | { readonly do: "assign"; readonly node: Node };

function plan(node: Node | undefined): RangePlan {
  if (node === undefined) return { do: "release" };
  const ranges = podCidrsOf(node);
  return ranges.length > 0 ? { do: "occupy", ranges } : { do: "assign", node };
}

function note(allocator: NodeCidrAllocator, node: Node): void {
  const ranges = podCidrsOf(node);
  if (ranges.length > 0) allocator.occupy(node.metadata?.name ?? "", ranges);
}

interface Acting {
  readonly allocator: NodeCidrAllocator;
  readonly planned: RangePlan;
}

async function act(ctx: ReconcileContext<Node>, name: string, { allocator, planned }: Acting): Promise<void> {
  if (planned.do === "release") allocator.release(name);
  else if (planned.do === "occupy") allocator.occupy(name, planned.ranges);
  else await assign(ctx, planned.node, allocator);
}

/** @throws Error where there is none left, so that it is tried again when other Nodes have gone */
async function assign({ client, events, signal }: ReconcileContext<Node>, node: Node, allocator: NodeCidrAllocator): Promise<void> {
  const { name = "", uid } = node.metadata ?? {};
  const report = (reason: string): void =>
    events.record(node, { type: "Normal", reason, message: `Node ${name} status is now: ${reason}` }, nodes);
  const podCIDRs = allocator.allocate(name);
  if (podCIDRs === undefined) {
    report("CIDRNotAvailable");
    throw new Error(`no range of addresses is left for the Pods of node ${name}`);
  }
  const patch = { metadata: { uid }, spec: { podCIDR: podCIDRs[0], podCIDRs } };
  try {
    await client.resource(nodes).patch(name, { type: "strategic", patch }, { signal });
  } catch (error) {
    allocator.release(name);
    if (isObjectNotFound(error, nodes, name)) return;
    // A Node of the same name that has come meanwhile is none that this is about.
    if (!isConflict(error)) report("CIDRAssignmentFailed");
    throw error;
  }
}
