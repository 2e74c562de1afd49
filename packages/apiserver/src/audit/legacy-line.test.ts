import assert from "node:assert/strict";
import { test } from "node:test";
import { legacyAuditLine } from "./legacy-line.ts";

const request = { auditID: "one", verb: "list", sourceIPs: ["127.0.0.1"], requestReceivedTimestamp: "2026-11-23T13:39:17.518240Z" };
const user = { username: "admin", groups: ["system:masters", "system:authenticated"] };
const groups = String.raw`groups="\"system:masters\",\"system:authenticated\""`;

/** Lines that kube-apiserver 1.36.3 has written with --audit-log-format=legacy; its times have nanoseconds. */
for (const { name, event, expected } of [
  {
    name: "a request that has come",
    event: {
      ...request,
      stage: "RequestReceived",
      user,
      userAgent: 'a "quoted" agent',
      objectRef: { namespace: "default" },
      requestURI: "/api/v1/namespaces/default/configmaps?limit=1",
    },
    expected: String.raw`2026-11-23T13:39:17.51824Z AUDIT: id="one" stage="RequestReceived" ip="127.0.0.1" method="list" user="admin" ${groups} as="<self>" asgroups="<lookup>" user-agent="a \"quoted\" agent" namespace="default" uri="/api/v1/namespaces/default/configmaps?limit=1" response="<deferred>"`,
  },
  {
    name: "an answered request of somebody who acts as another",
    event: {
      ...request,
      verb: "get",
      stage: "ResponseComplete",
      user,
      impersonatedUser: { username: "bob", groups: ["devs", "ops", "system:authenticated"] },
      userAgent: "x",
      requestURI: "/version",
      responseStatus: { code: 200 },
    },
    expected: String.raw`2026-11-23T13:39:17.51824Z AUDIT: id="one" stage="ResponseComplete" ip="127.0.0.1" method="get" user="admin" ${groups} as="bob" asgroups="\"devs\",\"ops\",\"system:authenticated\"" user-agent="x" namespace="<none>" uri="/version" response="200"`,
  },
]) {
  test(`the format legacy: ${name}`, () => assert.equal(legacyAuditLine(JSON.stringify(event)), `${expected}\n`));
}
