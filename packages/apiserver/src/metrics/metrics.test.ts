import assert from "node:assert/strict";
import { test } from "node:test";
import type { RequestInfo, ResourceRequest } from "../contracts/request-info.ts";
import { expose } from "./exposition.ts";
import { Metrics } from "./metrics.ts";
import { requestLabels } from "./request-series.ts";

const pods = (spec: Partial<ResourceRequest>): ResourceRequest => ({
  kind: "resource",
  verb: "get",
  group: "",
  version: "v1",
  namespace: "",
  resource: "pods",
  name: "",
  subresource: "",
  rest: "",
  ...spec,
});
const path = (...segments: string[]): RequestInfo => ({ kind: "path", verb: "get", path: `/${segments.join("/")}`, segments });

const labelled: readonly { info: RequestInfo; apply?: boolean; expect: string }[] = [
  { info: pods({ verb: "list" }), expect: "LIST   v1 pods  cluster apiserver" },
  { info: pods({ verb: "list", namespace: "a" }), expect: "LIST  v1 pods  namespace apiserver" },
  { info: pods({ verb: "get", namespace: "a", name: "p" }), expect: "GET  v1 pods  resource apiserver" },
  { info: pods({ verb: "create", namespace: "a" }), expect: "POST  v1 pods  resource apiserver" },
  { info: pods({ verb: "update", namespace: "a", name: "p", subresource: "status" }), expect: "PUT  v1 pods status resource apiserver" },
  { info: pods({ verb: "patch", namespace: "a", name: "p" }), apply: true, expect: "APPLY  v1 pods  resource apiserver" },
  { info: pods({ verb: "deletecollection", namespace: "a" }), expect: "DELETE  v1 pods  namespace apiserver" },
  { info: pods({ verb: "get", namespace: "a", name: "p", subresource: "log" }), expect: "CONNECT  v1 pods log resource apiserver" },
  { info: path("livez", "ping"), expect: "GET    /livez  " },
  { info: path("nowhere"), expect: "GET      " },
];
for (const { info, apply = false, expect } of labelled) {
  test(`request labels: ${expect}`, () => {
    const text = Object.values(requestLabels(info, apply)).join(" ");
    assert.equal(text.replace(/ +/g, " "), expect.replace(/ +/g, " "));
  });
}

/** HTTP/2 lets a client invent methods; the metrics of everybody would be gone with one that leads to no text. */
for (const verb of ["constructor", "tostring", "__proto__", "hasownproperty"])
  test(`the method ${verb.toUpperCase()} is one among others`, () => {
    const metrics = new Metrics({ startedAt: 0 });
    metrics.requests({ kind: "path", verb, path: "/livez", segments: ["livez"] }).record(405, 0.001, undefined);
    assert.match(expose(metrics).text, /apiserver_request_total\{verb="other"/);
  });

test("one series for each set of labels", () => {
  const metrics = new Metrics({ startedAt: 0 });
  const get = pods({ namespace: "a", name: "p" });
  assert.equal(metrics.requests(get), metrics.requests({ ...get, namespace: "b", name: "q" }));
  assert.notEqual(metrics.requests(get), metrics.requests(get, { dryRun: true }));
  assert.equal(metrics.requests(path("x")), metrics.requests(path("y")));
  assert.equal(metrics.requests(pods({ verb: "create" })), metrics.requests(pods({ verb: "create", namespace: "a" })));
});

test("the exposition has Kubernetes' names, labels and buckets", () => {
  const metrics = new Metrics({
    startedAt: 1.5,
    build: { major: "1", minor: "36", gitVersion: "v1.36.3", gitCommit: "c", platform: "linux/amd64" },
  });
  const series = metrics.requests(pods({ namespace: "a", name: "p" }));
  series.record(200, 0.004, 500);
  series.record(200, 0.03, 2_000);
  series.record(404, 100, 100);
  metrics.requests(pods({ verb: "watch" })).longRunning = 3;
  metrics.begin("readOnly");
  metrics.begin("readOnly");
  metrics.end("readOnly");
  metrics.watchEventsOf("apps", "v1", "deployments").count += 7;

  const { text, contentType } = expose(metrics);
  const labels = 'verb="GET",group="",version="v1",resource="pods",subresource="",scope="resource",component="apiserver"';
  assert.equal(contentType, "text/plain; version=0.0.4; charset=utf-8");
  for (const line of [
    `apiserver_request_total{${labels},dry_run="",code="200"} 2`,
    `apiserver_request_total{${labels},dry_run="",code="404"} 1`,
    `apiserver_request_duration_seconds_bucket{${labels},dry_run="",le="0.005"} 1`,
    `apiserver_request_duration_seconds_bucket{${labels},dry_run="",le="0.05"} 2`,
    `apiserver_request_duration_seconds_bucket{${labels},dry_run="",le="60"} 2`,
    `apiserver_request_duration_seconds_bucket{${labels},dry_run="",le="+Inf"} 3`,
    `apiserver_request_duration_seconds_count{${labels},dry_run=""} 3`,
    `apiserver_response_sizes_bucket{${labels},le="1000"} 2`,
    `apiserver_longrunning_requests{verb="WATCH",group="",version="v1",resource="pods",subresource="",scope="cluster",component="apiserver"} 3`,
    'apiserver_current_inflight_requests{request_kind="readOnly"} 2',
    'apiserver_watch_events_total{group="apps",version="v1",resource="deployments"} 7',
    'kubernetes_build_info{major="1",minor="36",git_version="v1.36.3",git_commit="c",platform="linux/amd64"} 1',
    "process_start_time_seconds 1.5",
  ]) {
    assert.ok(text.includes(`\n${line}\n`), `${line}\nis not in\n${text}`);
  }
  assert.match(expose(metrics).text, /apiserver_current_inflight_requests\{request_kind="readOnly"\} 1\n/);
});

test("calls of conversion webhooks are counted by definition and by what failed", () => {
  const metrics = new Metrics({ startedAt: 0 });
  assert.doesNotMatch(expose(metrics).text, /conversion_webhook/);
  const labels = { crd: "rooms.example.com", from: "v1", to: "v2" };
  metrics.conversions.record({ ...labels, failure: "" }, 0.003);
  metrics.conversions.record({ ...labels, failure: "conversion_webhook_call_failure" }, 30);
  const { text } = expose(metrics);
  const lines = [
    'apiserver_conversion_webhook_request_total{result="success",failure_type=""} 1',
    'apiserver_conversion_webhook_request_total{result="failure",failure_type="conversion_webhook_call_failure"} 1',
    'apiserver_conversion_webhook_duration_seconds_bucket{result="failure",failure_type="conversion_webhook_call_failure",le="30"} 1',
    'apiserver_crd_conversion_webhook_duration_seconds_bucket{crd_name="rooms.example.com",from_version="v1",to_version="v2",succeeded="true",le="0.004"} 1',
    'apiserver_crd_conversion_webhook_duration_seconds_count{crd_name="rooms.example.com",from_version="v1",to_version="v2",succeeded="false"} 1',
  ];
  for (const line of lines) assert.ok(text.includes(line), line);
});
