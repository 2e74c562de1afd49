/**
 * Writes what a real Kubernetes answers: `npm run golden:record -- --against https://127.0.0.1:7443 --token T [scenario …]`,
 * or with `--kubeconfig FILE`. Each scenario is put twice; what the two runs do not agree on is left out, and named.
 */
import { writeFileSync } from "node:fs";
import { requireAdministrator } from "./administrator.ts";
import { agree } from "./agree.ts";
import { type CommandLine, runCommandLine } from "./command-line.ts";
import { formatJson, type Json } from "./json.ts";
import { replayAll } from "./replay-all.ts";
import { readScenario, recordingFile, scenarioFile } from "./scenario.ts";
import { connect } from "./server.ts";

await runCommandLine(record);

async function record({ access, scenarios }: CommandLine): Promise<void> {
  if (access === undefined) throw new Error("name a server to record, with --against URL --token T or with --kubeconfig FILE");
  using server = connect(access);
  await requireAdministrator(server);
  const first = await replayAll(server, scenarios, { concurrent: false });
  const second = await replayAll(server, scenarios, { concurrent: false });
  for (const [i, recording] of first.entries()) {
    const agreed = agree(recording, second[i] ?? recording);
    write(recordingFile(agreed.name), agreed);
    write(scenarioFile(agreed.name), readScenario(agreed.name));
    console.log(`${agreed.name}: ${agreed.answers.length} steps`);
    for (const { step, unstable = [] } of agreed.answers)
      if (unstable.length > 0) console.log(`  "${step}" without ${unstable.join(", ")}`);
  }
}

function write(file: string, value: object): void {
  writeFileSync(file, `${formatJson(value as Json)}\n`);
}
