import assert from "node:assert/strict";
import { test } from "node:test";
import { routeOf } from "./routes.ts";

const command = { namespace: "ns", pod: "p", container: "c" };
const routes = [
  { path: "/containerLogs/ns/p/c", route: { kind: "containerLogs", uid: undefined, ...command } },
  { path: "/exec/ns/p/c", route: { kind: "exec", uid: undefined, ...command } },
  { path: "/attach/ns/p/u/c", route: { kind: "attach", uid: "u", ...command } },
  { path: "/exec/ns/p/a%20b", route: { kind: "exec", uid: undefined, ...command, container: "a b" } },
  { path: "/portForward/ns/p", route: { kind: "portForward", namespace: "ns", pod: "p", uid: undefined } },
  { path: "/portForward/ns/p/u", route: { kind: "portForward", namespace: "ns", pod: "p", uid: "u" } },
  { path: "/pods", route: { kind: "pods" } },
  { path: "/runningpods/", route: { kind: "runningpods" } },
  { path: "/stats/summary", route: { kind: "summary" } },
  { path: "/metrics/resource", route: { kind: "resourceMetrics" } },
];
for (const { path, route } of routes) test(path, () => assert.deepEqual(routeOf(path), route));

for (const path of [
  "/",
  "/exec/ns/p",
  "/exec/ns//c",
  "/exec/a/b/c/d/e",
  "/containerLogs/ns/p/u/c",
  "/portForward/ns",
  "/run/ns/p/c",
  "/exec/%ff/p/c",
]) {
  test(`${path} is none`, () => assert.equal(routeOf(path), undefined));
}
