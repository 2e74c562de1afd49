/**
 * Writes what a real kubelet makes of the scenarios: `npm run kubelet:record [name …]`. COXSWAIN_TEST_KUBECONFIG names a cluster
 * of etcd, kube-apiserver (without the ServiceAccount admission plugin) and one node whose containerd has the images of
 * `tests/kubelet/containerd/images.ts`. COXSWAIN_RECORD_INTO, a folder, takes what another kubelet makes of them, for comparison.
 */
import { nodes } from "@coxswain/client";
import { clientFromKubeconfig } from "@coxswain/client/node";
import { messageOf } from "@coxswain/machinery";
import { play } from "./play.ts";
import { scenarios, write } from "./recordings.ts";

const kubeconfig = process.env.COXSWAIN_TEST_KUBECONFIG;
if (kubeconfig === undefined) throw new Error("COXSWAIN_TEST_KUBECONFIG has to name a kubeconfig");
await using client = await clientFromKubeconfig({ paths: [kubeconfig], fieldManager: "recorder" });
const [node] = (await client.resource(nodes).list()).items;
const chosen = process.argv.slice(2);
const wanted = scenarios.filter(({ name }) => chosen.length === 0 || chosen.includes(name));

const waiting = [...wanted];
await Promise.all(
  Array.from({ length: 6 }, async () => {
    for (let scenario = waiting.shift(); scenario !== undefined; scenario = waiting.shift()) {
      try {
        write(scenario, await play(client, node?.metadata?.name ?? "", scenario), process.env.COXSWAIN_RECORD_INTO);
        process.stdout.write(`${scenario.name}\n`);
      } catch (error) {
        process.exitCode = 1;
        process.stdout.write(`${scenario.name}: ${messageOf(error)}\n`);
      }
    }
  }),
);
