/** Programs in Go: both of client-go's ways to run a command and to reach a port. */

import { hangMs } from "@coxswain/machinery/testing";
import { assertAllOk, run } from "../../conformance/client-program.ts";
import { testWithGoProgram } from "../../conformance/go-program.ts";
import { startEcho } from "./echo-server.ts";
import { startNode } from "./start-node.ts";

testWithGoProgram("client-go: commands and ports over SPDY and WebSockets", "client-go-streams", async (t, program) => {
  const node = await startNode();
  t.after(() => node[Symbol.asyncDispose]());
  await using echo = await startEcho("at the end");
  const args = ["-kubeconfig", node.kubeconfig, "-port", String(echo.port)];
  assertAllOk(await run(program, args, { timeoutMs: hangMs }), 10);
});
