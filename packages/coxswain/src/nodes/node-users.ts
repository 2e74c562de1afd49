/** Who nodes beside the API server are. */
import { simulatedNodesServiceAccount } from "../access/own-roles.ts";
import { type InProcessUser, systemServiceAccount } from "../in-process/in-process-callers.ts";

/** The kubelet of a node. */
export const nodeUser = (node: string): InProcessUser => ({ name: `system:node:${node}`, groups: ["system:nodes"] });

/** Who shares what many simulated nodes follow. */
export const fleetUser: InProcessUser = systemServiceAccount(simulatedNodesServiceAccount);
