import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { base64 } from "../../volume-manager/objects-under-test.ts";
import { informerOf, podOf, withConfigs } from "./configs-under-test.ts";

test("variables come in their order, and may name earlier ones", () =>
  withConfigs({}, async ({ objects, container }) => {
    objects.configMaps.set("web/m", { data: { KEY: "of-map", BOTH: "of-map" } });
    objects.secrets.set("web/s", { data: { HIDDEN: base64("of-secret") } });
    const pod = podOf(
      {
        envFrom: [
          { configMapRef: { name: "m" } },
          { prefix: "S_", secretRef: { name: "s" } },
          { configMapRef: { name: "no", optional: true } },
        ],
        env: [
          { name: "A", value: "1" },
          { name: "B", value: "$(A)-$(KEY)-$$(A)-$(LATER)-$(" },
          { name: "BOTH", value: "own" },
          { name: "LATER", value: "2" },
          { name: "ONE", valueFrom: { configMapKeyRef: { name: "m", key: "KEY" } } },
          { name: "SECRET", valueFrom: { secretKeyRef: { name: "s", key: "HIDDEN" } } },
          { name: "NONE", valueFrom: { secretKeyRef: { name: "s", key: "no", optional: true } } },
        ],
        command: ["sh", "-c", "echo $(A)"],
        args: ["$(B)", "$(MISSING)"],
      },
      { enableServiceLinks: false },
    );
    const { env, command, args } = await container(pod);
    assert.deepEqual(env.map(({ name, value }) => `${name}=${value}`).slice(0, 8), [
      "KEY=of-map",
      "BOTH=own",
      "S_HIDDEN=of-secret",
      "A=1",
      "B=1-of-map-$(A)-$(LATER)-$(",
      "LATER=2",
      "ONE=of-map",
      "SECRET=of-secret",
    ]);
    assert.deepEqual(
      [command, args],
      [
        ["sh", "-c", "echo 1"],
        ["1-of-map-$(A)-$(LATER)-$(", "$(MISSING)"],
      ],
    );
  }));

test("there are variables of the namespace's Services, and always of the API server", () =>
  withConfigs({}, async ({ env }) => {
    const linked = await env(podOf());
    assert.deepEqual(linked, {
      KUBERNETES_SERVICE_HOST: "10.96.0.1",
      KUBERNETES_SERVICE_PORT: "443",
      KUBERNETES_SERVICE_PORT_HTTPS: "443",
      KUBERNETES_PORT: "tcp://10.96.0.1:443",
      KUBERNETES_PORT_443_TCP: "tcp://10.96.0.1:443",
      KUBERNETES_PORT_443_TCP_PROTO: "tcp",
      KUBERNETES_PORT_443_TCP_PORT: "443",
      KUBERNETES_PORT_443_TCP_ADDR: "10.96.0.1",
      REDIS_PRIMARY_SERVICE_HOST: "10.96.0.11",
      REDIS_PRIMARY_SERVICE_PORT: "6379",
      REDIS_PRIMARY_SERVICE_PORT_METRICS: "9121",
      REDIS_PRIMARY_PORT: "tcp://10.96.0.11:6379",
      REDIS_PRIMARY_PORT_6379_TCP: "tcp://10.96.0.11:6379",
      REDIS_PRIMARY_PORT_6379_TCP_PROTO: "tcp",
      REDIS_PRIMARY_PORT_6379_TCP_PORT: "6379",
      REDIS_PRIMARY_PORT_6379_TCP_ADDR: "10.96.0.11",
      REDIS_PRIMARY_PORT_9121_TCP: "tcp://10.96.0.11:9121",
      REDIS_PRIMARY_PORT_9121_TCP_PROTO: "tcp",
      REDIS_PRIMARY_PORT_9121_TCP_PORT: "9121",
      REDIS_PRIMARY_PORT_9121_TCP_ADDR: "10.96.0.11",
    });
    const unlinked = await env(podOf({}, { enableServiceLinks: false }));
    assert.deepEqual(
      Object.keys(unlinked).filter((name) => !name.startsWith("KUBERNETES")),
      [],
    );
  }));

test("the variables of the API server may have another address", () =>
  withConfigs({ masterService: { host: "127.0.0.1", port: 6443 } }, async ({ env }) => {
    const { KUBERNETES_SERVICE_HOST, KUBERNETES_SERVICE_PORT, KUBERNETES_PORT } = await env(podOf());
    assert.deepEqual([KUBERNETES_SERVICE_HOST, KUBERNETES_SERVICE_PORT, KUBERNETES_PORT], ["127.0.0.1", "6443", "tcp://127.0.0.1:6443"]);
  }));

const fields = {
  "metadata.name": "app-1",
  "metadata.labels": 'app="app"',
  "metadata.annotations['note']": "n",
  "spec.nodeName": "node-1",
  "spec.serviceAccountName": "runner",
  "status.hostIP": "192.168.0.5",
  "status.hostIPs": "192.168.0.5,fd00::5",
  "status.podIP": "10.0.0.7",
  "status.podIPs": "10.0.0.7,fd00::7",
};
for (const [fieldPath, expect] of Object.entries(fields))
  test(`${fieldPath} is a variable`, () =>
    withConfigs({}, async ({ env }) => {
      assert.equal((await env(podOf({ env: [{ name: "X", valueFrom: { fieldRef: { fieldPath } } }] }))).X, expect);
    }));

const amounts = [
  { resource: "limits.cpu", divisor: "1m", expect: "1500" },
  { resource: "limits.cpu", divisor: undefined, expect: "2" },
  { resource: "requests.cpu", divisor: "1m", expect: "0" },
  { resource: "limits.memory", divisor: "1Mi", expect: "4096" },
  { resource: "requests.memory", divisor: "1Ki", expect: "65" },
];
for (const { resource, divisor, expect } of amounts)
  test(`${resource} in ${divisor ?? "whole units"} is ${expect}`, () =>
    withConfigs({}, async ({ env }) => {
      const resourceFieldRef = { resource, ...(divisor === undefined ? {} : { divisor }) };
      const resources = { limits: { cpu: "1500m" }, requests: { memory: "66000" } };
      assert.equal((await env(podOf({ resources, env: [{ name: "X", valueFrom: { resourceFieldRef } }] }))).X, expect);
    }));

test("no Service is left out because none was read yet", () =>
  withConfigs({ services: informerOf([], false) }, async ({ container }) => {
    const message = "services have not yet been read at least once, cannot construct envvars";
    await assert.rejects(container(podOf()), { reason: "CreateContainerConfigError", message });
  }));

test("a variable may come from a file of a volume", () =>
  withConfigs({}, async ({ rootDir, container, env: _ }) => {
    await writeFile(join(rootDir, "vars"), "# these\nA='1'\nB='two\nlines' # more\n");
    const volumes = new Map([["v", { path: rootDir, readOnly: false, selinuxRelabel: true }]]);
    const of = (key: string) => podOf({ env: [{ name: "X", valueFrom: { fileKeyRef: { volumeName: "v", path: "vars", key } } }] });
    assert.equal((await container(of("B"), { volumes })).env[0]?.value, "two\nlines");
    await assert.rejects(container(of("C"), { volumes }), /environment variable key "C" not found in file/);
  }));
