/** Integers that a double does not hold go wherever the API has 64 bits, and come back as they were. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { type Api, startApi } from "../integration/api.ts";

const largest = "9223372036854775807";
const smallest = "-9223372036854775808";
let api: Api;
before(async () => {
  api = await startApi();
});

const pod = (spec: string): string =>
  `{"metadata":{"name":"int","generation":${largest}},"spec":{"containers":[{"name":"a","image":"a"}],${spec}}}`;
const pods = "/api/v1/namespaces/default/pods";
const jobs = "/apis/batch/v1/namespaces/default/jobs";
const cronJobs = "/apis/batch/v1/namespaces/default/cronjobs";
const template = `"template":{"metadata":{"labels":{"a":"b"}},"spec":{"restartPolicy":"Never","containers":[{"name":"a","image":"a"}]}}`;

const bodies: readonly (readonly [what: string, path: string, body: (n: string) => string])[] = [
  ["terminationGracePeriodSeconds", pods, (n) => pod(`"terminationGracePeriodSeconds":${n}`)],
  ["activeDeadlineSeconds of a pod", pods, (n) => pod(`"activeDeadlineSeconds":${n}`)],
  [
    "runAsUser and fsGroup",
    pods,
    (n) => pod(`"securityContext":{"runAsUser":${n},"runAsGroup":${n},"fsGroup":${n},"supplementalGroups":[${n}]}`),
  ],
  ["tolerationSeconds", pods, (n) => pod(`"tolerations":[{"key":"a","operator":"Exists","effect":"NoExecute","tolerationSeconds":${n}}]`)],
  [
    "expirationSeconds",
    pods,
    (n) => pod(`"volumes":[{"name":"v","projected":{"sources":[{"serviceAccountToken":{"path":"t","expirationSeconds":${n}}}]}}]`),
  ],
  ["a quantity", pods, (n) => pod(`"volumes":[{"name":"v","emptyDir":{"sizeLimit":${n}}},{"name":"w","emptyDir":{"sizeLimit":"${n}Ei"}}]`)],
  ["activeDeadlineSeconds of a job", jobs, (n) => `{"metadata":{"name":"int"},"spec":{"activeDeadlineSeconds":${n},${template}}}`],
  [
    "startingDeadlineSeconds",
    cronJobs,
    (n) =>
      `{"metadata":{"name":"int"},"spec":{"schedule":"* * * * *","startingDeadlineSeconds":${n},"jobTemplate":{"spec":{${template}}}}}`,
  ],
  [
    "revision",
    "/apis/apps/v1/namespaces/default/controllerrevisions",
    (n) => `{"metadata":{"name":"int"},"revision":${n},"data":{"x":${n}}}`,
  ],
  [
    "replicas, which have 32 bits",
    "/apis/apps/v1/namespaces/default/deployments",
    (n) =>
      `{"metadata":{"name":"int"},"spec":{"replicas":${n},"selector":{"matchLabels":{"a":"b"}},${template.replace('"restartPolicy":"Never",', "")}}}`,
  ],
  ["priority class", "/apis/scheduling.k8s.io/v1/priorityclasses", (n) => `{"metadata":{"name":"int"},"value":${n}}`],
  [
    "an autoscaler",
    "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers",
    (n) =>
      `{"metadata":{"name":"int"},"spec":{"maxReplicas":${n},"scaleTargetRef":{"kind":"A","name":"a"},"metrics":[{"type":"Resource","resource":{"name":"cpu","target":{"type":"AverageValue","averageValue":${n}}}}]}}`,
  ],
];
for (const [what, path, body] of bodies)
  for (const n of [largest, smallest])
    test(`${what}: ${n}`, async () => {
      const made = await api.send("POST", path, { body: body(n) });
      assert.doesNotMatch(made.text, /the server has an error/);
      if (made.status >= 400) return assert.ok(made.status === 400 || made.status === 422, made.text);
      const named = `${path}/int`;
      for (const accept of [
        "application/json",
        "application/yaml",
        "application/vnd.kubernetes.protobuf",
        "application/json;as=Table;g=meta.k8s.io;v=v1",
      ])
        assert.equal((await api.send("GET", named, { accept })).status, 200, accept);
      const { text } = await api.send("GET", named);
      const put = await api.send("PUT", named, { body: text });
      assert.equal(put.status, 200, put.text);
      assert.equal(put.text, text);
      for (const type of ["application/merge-patch+json", "application/strategic-merge-patch+json"])
        assert.equal((await api.send("PATCH", named, { type, body: `{"metadata":{"labels":{"a":"${type.length}"}}}` })).status, 200);
      assert.equal((await api.send("DELETE", named, { body: `{"gracePeriodSeconds":${n},"propagationPolicy":"Background"}` })).status, 200);
      await api.send("DELETE", `${named}?gracePeriodSeconds=0`);
      assert.equal((await api.send("GET", named)).status, 404);
    });
