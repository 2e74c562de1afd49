import assert from "node:assert/strict";
import { test } from "node:test";
import { managerName } from "@coxswain/controllers";
import { type InProcessUser, systemServiceAccount } from "../in-process/in-process-callers.ts";
import { fleetUser, nodeUser } from "../nodes/node-users.ts";
import { schedulerAgent } from "../scheduler/managed-scheduler.ts";
import { allowedFor } from "./allowed-users.ts";
import type { ThreadComponent } from "./thread-protocol.ts";

const account = systemServiceAccount("replicaset-controller");
const cases: readonly { name: string; components: readonly ThreadComponent[]; user: InProcessUser; expect: boolean }[] = [
  { name: "the controllers", components: ["controllers"], user: { name: `system:${managerName}` }, expect: true },
  { name: "the account of a controller", components: ["controllers"], user: account, expect: true },
  { name: "the scheduler", components: ["scheduler"], user: { name: `system:${schedulerAgent}` }, expect: true },
  { name: "a node", components: ["nodes"], user: nodeUser("node-1"), expect: true },
  { name: "what nodes share", components: ["controllers", "nodes"], user: fleetUser, expect: true },
  { name: "a component of another thread", components: ["nodes"], user: { name: `system:${schedulerAgent}` }, expect: false },
  { name: "an account, from where the nodes are", components: ["nodes"], user: account, expect: false },
  {
    name: "groups that it does not have",
    components: ["scheduler"],
    user: { name: "system:kube-scheduler", groups: ["system:masters"] },
    expect: false,
  },
  { name: "an account with other groups", components: ["controllers"], user: { ...account, groups: ["system:masters"] }, expect: false },
  { name: "a node with another uid", components: ["nodes"], user: { ...nodeUser("node-1"), uid: "0" }, expect: false },
  {
    name: "anybody else",
    components: ["controllers", "scheduler", "nodes"],
    user: { name: "admin", groups: ["system:masters"] },
    expect: false,
  },
];
for (const { name, components, user, expect } of cases)
  test(`a thread of ${components.join(", ")} ${expect ? "may" : "may not"} be ${name}`, () =>
    assert.equal(allowedFor(components)(user), expect));
