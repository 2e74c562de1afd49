/** cert-manager's webhook, compiled here as it is, with its definitions and the configurations of its chart. */
import { hangMs } from "@coxswain/machinery/testing";
import { assertAllOk, run } from "./client-program.ts";
import { startCommand } from "./command-under-test.ts";
import { testWithGoProgram } from "./go-program.ts";

testWithGoProgram(
  "cert-manager: its webhook writes down who asks, refuses, and asks the server who may",
  "cert-manager",
  async (t, program) => {
    const command = await startCommand("--ephemeral");
    t.after(() => command.stop());
    const cwd = `${import.meta.dirname}/cert-manager`;
    const { stdout } = await run("go", ["list", "-m", "-f", "{{.Dir}}", "github.com/cert-manager/cert-manager"], {
      cwd,
      timeoutMs: hangMs,
    });
    const flags = ["-credentials", command.kubeconfig, "-source", stdout.trim()];
    const env = { HOME: command.directory, TMPDIR: command.directory };
    assertAllOk(await run(program, flags, { cwd: command.directory, env, timeoutMs: hangMs }), 18);
  },
);
