/**
 * Writes what a real kube-scheduler says of the cases: `npm run verdicts:record`. COXSWAIN_TEST_KUBECONFIG names a cluster
 * of nothing but etcd, kube-apiserver (without the ServiceAccount admission plugin) and kube-scheduler. `npm run format`
 * brings the files into their usual form.
 */
import { writeFileSync } from "node:fs";
import { clientFromKubeconfig } from "@coxswain/client/node";
import { sleep, systemClock } from "@coxswain/machinery";
import { clear, verdictOn } from "./ask.ts";
import { type Case, caseFiles } from "./case.ts";

const kubeconfig = process.env.COXSWAIN_TEST_KUBECONFIG;
if (kubeconfig === undefined) throw new Error("COXSWAIN_TEST_KUBECONFIG has to name a kubeconfig");
await using client = await clientFromKubeconfig({ paths: [kubeconfig], fieldManager: "verdicts" });
const chosen = process.argv.slice(2);

for (const { path, cases } of caseFiles()) {
  const recorded: Case[] = [];
  for (const one of cases) {
    if (chosen.length > 0 && !chosen.some((word) => path.includes(word))) {
      recorded.push(one);
      continue;
    }
    const verdict = await verdictOn({ client, settle: () => sleep(systemClock, 700) }, one);
    await clear(client, one);
    recorded.push({ ...one, verdict });
    process.stdout.write(`${one.name}\n  ${verdict.condition.message}\n`);
  }
  writeFileSync(path, `${JSON.stringify(recorded, undefined, 2)}\n`);
}
