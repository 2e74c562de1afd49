/**
 * Writes what a real Kubernetes answers: `npm run golden:record -- --against https://127.0.0.1:7443 --token T [scenario …]`,
 * or with `--kubeconfig FILE`. Each scenario is put twice; what the two runs do not agree on is left out, and named.
 */
import { writeFileSync } from "node:fs";
import { agree } from "./agree.ts";
import { readCommandLine, requireAdministrator } from "./command-line.ts";
import { formatJson, type Json } from "./json.ts";
import { replayAll } from "./replay-all.ts";
import { readScenario, recordingFile, scenarioFile } from "./scenario.ts";
import { connect } from "./server.ts";

const { access, scenarios } = await readCommandLine(process.argv.slice(2));
if (access === undefined) throw new Error("--against URL --token T, or --kubeconfig FILE, has to name a server to record");
const server = connect(access);
try {
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
} finally {
  server.close();
}

function write(file: string, value: object): void {
  writeFileSync(file, `${formatJson(value as Json)}\n`);
}
