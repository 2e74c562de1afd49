// `coxswain/testing`, loaded quickly: plain JavaScript, so that nothing has to be stripped of types before the cache of
// what was compiled at an earlier run is there, and with a short cut to this repository's own modules for as long as it loads.
import { enableCompileCache, registerHooks } from "node:module";
import { resolve } from "./own-modules.mjs";

// Coverage would be less exact with code from the cache. NODE_DISABLE_COMPILE_CACHE=1 keeps it off in any case.
if (process.env.NODE_V8_COVERAGE === undefined) enableCompileCache();
const hooks = registerHooks({ resolve });
const testing = await import("../src/testing/index.ts").finally(() => hooks.deregister());

export const {
  applyYaml,
  assertAlreadyExists,
  assertCondition,
  assertConflict,
  assertControlledBy,
  assertEventuallyCondition,
  assertEventuallyDeleted,
  assertEventuallyReady,
  assertFinalizer,
  assertForbidden,
  assertInvalid,
  assertNotFound,
  assertReady,
  eachVersion,
  describeReplay,
  eventually,
  everyFault,
  everyFaultAtEveryStep,
  FaultScript,
  InvariantViolation,
  randomFaults,
  readRecording,
  replayRecording,
  seededRandom,
  servingCertificate,
  startCluster,
  useCluster,
  VirtualClock,
  virtualClock,
  WaitError,
  waitFor,
  watchInvariants,
} = testing;
