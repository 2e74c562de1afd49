/** Operators in Go: a manager of the real controller-runtime, compiled here, reconciles against the real command. */
import { testGoProgram } from "./go-program.ts";

testGoProgram("controller-runtime: leader election, the cache, pages, watches, apply, finalizers, drift, a kind of its own, webhooks", {
  folder: "controller-runtime",
  checks: 61,
});
