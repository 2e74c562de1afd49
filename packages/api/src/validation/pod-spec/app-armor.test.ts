import assert from "node:assert/strict";
import { test } from "node:test";
import { deployment } from "../../kinds/apps/deployment/strategy.ts";
import { pod } from "../../kinds/core/pod/strategy.ts";
import { createdAs } from "../../kinds/kind-under-test.ts";

const key = "container.apparmor.security.beta.kubernetes.io/c";
const warning = `metadata.annotations[${key}]: deprecated since v1.30; use the "appArmorProfile" field instead`;
const bodyOf = (annotation: string, own: object | undefined, spec: object) => ({
  metadata: { name: "p", annotations: { [key]: annotation } },
  spec: { containers: [{ name: "c", image: "i", ...(own ? { securityContext: { appArmorProfile: own } } : {}) }], ...spec },
});
const podWide = (profile: object) => ({ securityContext: { appArmorProfile: profile } });
const local = { type: "Localhost", localhostProfile: "web" };
const unconfined = { type: "Unconfined" };

const cases = [
  { name: "an annotation becomes the field", annotation: "localhost/web", profile: local, warnings: [warning] },
  { name: "a runtime's own profile too", annotation: "runtime/default", profile: { type: "RuntimeDefault" }, warnings: [warning] },
  { name: "a container's own field stays", annotation: "unconfined", own: unconfined, profile: unconfined, warnings: [] },
  {
    name: "what the pod says anyway is not said again",
    annotation: "unconfined",
    spec: podWide(unconfined),
    profile: undefined,
    warnings: [],
  },
  { name: "what no field can say stays an annotation", annotation: "localhost/", profile: undefined, warnings: [warning] },
  { name: "space around a name neither", annotation: "localhost/ web", profile: undefined, warnings: [warning] },
  { name: "Windows has no profiles", annotation: "unconfined", spec: { os: { name: "windows" } }, profile: undefined, warnings: [] },
];

for (const { name, annotation, own, spec = {}, profile, warnings } of cases) {
  test(`of a pod ${name}`, () => {
    const created = createdAs(pod, bodyOf(annotation, own, spec));
    assert.deepEqual(created.problems, []);
    assert.deepEqual(created.object.spec?.containers[0]?.securityContext?.appArmorProfile, profile);
    assert.deepEqual(created.warnings, warnings);
  });
}

test("annotation and field of a container must agree", () => {
  const type = "spec.containers[0].securityContext.appArmorProfile.type: Forbidden: apparmor type in annotation and field must match";
  assert.deepEqual(createdAs(pod, bodyOf("unconfined", local, {})).problems, [type]);
});

test("a template keeps its annotation, and is warned of it unless its own profile says the same", () => {
  const templateOf = (spec: object) => ({
    metadata: { name: "d" },
    spec: {
      selector: { matchLabels: { a: "b" } },
      template: { ...bodyOf("unconfined", undefined, spec), metadata: { labels: { a: "b" }, annotations: { [key]: "unconfined" } } },
    },
  });
  assert.deepEqual(createdAs(deployment, templateOf({})).warnings, [`spec.template.${warning}`]);
  assert.deepEqual(createdAs(deployment, templateOf(podWide(unconfined))).warnings, []);
});
