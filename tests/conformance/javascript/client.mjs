/** The library under test, from the folder in which it was installed, and what the checks share. */
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { join } from "node:path";

const [, , kubeconfig, folder] = process.argv;

export const k8s = createRequire(join(folder, "package.json"))("@kubernetes/client-node");

export const config = new k8s.KubeConfig();
config.loadFromFile(kubeconfig);

export const core = config.makeApiClient(k8s.CoreV1Api);
export const apps = config.makeApiClient(k8s.AppsV1Api);

export const configMap = (name, data = {}, labels = {}) => ({ metadata: { name, labels }, data });

/** The header by which a call says what its patch is. */
export const as = (strategy) => k8s.setHeaderOptions("Content-Type", k8s.PatchStrategy[strategy]);

/** The Status with which the call is refused, after its code, reason and text are found right. */
export async function refused(call, code, reason, text = "") {
  const error = await call.then(
    () => assert.fail(`no ${code} ${reason}`),
    (thrown) => thrown,
  );
  assert.ok(error instanceof k8s.ApiException, error);
  const status = typeof error.body === "string" ? JSON.parse(error.body) : error.body;
  assert.deepEqual([error.code, status.code, status.reason, status.kind], [code, code, reason, "Status"], status.message);
  assert.ok(status.message.includes(text), status.message);
  return status;
}

/** The next values that a callback is given, in order; fails when they take more than 20 seconds. */
export function recorder() {
  const seen = [];
  let wake = () => {};
  return {
    seen,
    record: (...value) => {
      seen.push(value);
      wake();
    },
    async until(count) {
      const late = AbortSignal.timeout(20_000);
      while (seen.length < count) {
        await new Promise((resolve, reject) => {
          wake = resolve;
          late.onabort = () => reject(new Error(`only ${JSON.stringify(seen)}`));
        });
      }
      return seen;
    },
  };
}
