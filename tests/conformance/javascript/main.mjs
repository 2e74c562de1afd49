/**
 * Drives a server as programs in JavaScript do. Prints one line for each check and exits with 1 when one fails. The
 * arguments are a kubeconfig file and the folder in which the library is installed.
 */
import * as applying from "./applying.mjs";
import * as calls from "./calls.mjs";
import { core } from "./client.mjs";
import * as objects from "./objects.mjs";
import * as patches from "./patches.mjs";
import * as watching from "./watching.mjs";

async function attempt(name, check, namespace) {
  try {
    await check(namespace);
    console.log(`ok   ${name}`);
  } catch (error) {
    process.exitCode = 1;
    console.log(`FAIL ${name}: ${JSON.stringify(error?.stack ?? error)}`);
  }
}

const all = Object.entries({ calls, applying, patches, watching, objects }).map(async ([group, { checks }]) => {
  const namespace = `javascript-${group}`;
  await core.createNamespace({ body: { metadata: { name: namespace } } });
  await Promise.all(Object.entries(checks).map(([name, check]) => attempt(`${group}: ${name}`, check, namespace)));
});
await Promise.all(all);
process.exit();
