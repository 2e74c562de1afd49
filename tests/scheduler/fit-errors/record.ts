/**
 * Writes what a real kube-scheduler says of the cases: `npm run fit-errors:record`. COXSWAIN_TEST_KUBECONFIG names a cluster
 * of nothing but etcd, kube-apiserver (without the ServiceAccount admission plugin) and kube-scheduler. `npm run format`
 * brings the files into their usual form.
 */
import { writeFileSync } from "node:fs";
import { clientFromKubeconfig } from "@coxswain/client/node";
import { sleep, systemClock } from "@coxswain/machinery";
import { clear, fitErrorOn } from "./ask.ts";
import { type Case, caseFiles } from "./case.ts";

const kubeconfig = process.env.COXSWAIN_TEST_KUBECONFIG;
if (kubeconfig === undefined) throw new Error("COXSWAIN_TEST_KUBECONFIG has to name a kubeconfig");
await using client = await clientFromKubeconfig({ paths: [kubeconfig], fieldManager: "fit-errors" });
const chosen = process.argv.slice(2);

for (const { path, cases } of caseFiles()) {
  const recorded: Case[] = [];
  for (const one of cases) {
    if (chosen.length > 0 && !chosen.some((word) => path.includes(word))) {
      recorded.push(one);
      continue;
    }
    const fitError = await fitErrorOn({ client, settle: () => sleep(systemClock, 700) }, one);
    await clear(client, one);
    recorded.push({ ...one, fitError });
    process.stdout.write(`${one.name}\n  ${fitError.condition.message}\n`);
  }
  writeFileSync(path, `${JSON.stringify(recorded, undefined, 2)}\n`);
}
