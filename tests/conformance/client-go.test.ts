/** Controllers in Go: a program on the real client-go, compiled here, drives the real command. */
import { testGoProgram } from "./go-program.ts";

testGoProgram("client-go: typed, dynamic and metadata clients, apply, watches, informers, conflicts, leader election, custom resources", {
  folder: "client-go",
  checks: 80,
});
