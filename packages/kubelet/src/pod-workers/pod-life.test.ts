import assert from "node:assert/strict";
import { test } from "node:test";
import type { coreV1 } from "@coxswain/api";
import fc from "fast-check";
import { computePodActions } from "../kuberuntime/compute-pod-actions.ts";
import type { PodActions } from "../kuberuntime/pod-actions.ts";
import type { Pod } from "../pod/pod.ts";
import { isTerminal, latest, type nothingThere, podState } from "../pod/pod-state.ts";
import { isWholeRestarting, restartsAfter } from "../pod/restart-policy.ts";
import type { ContainerStatus, SandboxStatus } from "../runtime/runtime-status.ts";
import { podStatus } from "../status/pod-status.ts";
import { containerStatus, containerUnderTest, initsUnderTest, noResults, podUnderTest, sandboxUnderTest } from "./pod-under-test.ts";

type Step =
  | { readonly do: "sync"; readonly failing: number }
  | { readonly do: "end"; readonly which: number; readonly exitCode: number }
  | { readonly do: "lose"; readonly which: number }
  | { readonly do: "kill sandbox" }
  | { readonly do: "new kubelet" };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant("sync" as const), failing: fc.nat(3) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("end" as const), which: fc.nat(5), exitCode: fc.constantFrom(0, 1, 42) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("lose" as const), which: fc.nat(5) }) },
  { weight: 1, arbitrary: fc.constant({ do: "kill sandbox" as const }) },
  { weight: 1, arbitrary: fc.constant({ do: "new kubelet" as const }) },
);

const policies = ["Always", "OnFailure", "Never"];
const spec: fc.Arbitrary<Partial<coreV1.PodSpec>> = fc.record({
  restartPolicy: fc.constantFrom(...policies),
  initContainers: fc.constantFrom(
    ...[[], ["a"], ["a", "b"], ["s*"], ["a", "s*", "b"], ["s*", "t*"]].map((names) => initsUnderTest(...names)),
  ),
  containers: fc.constantFrom([containerUnderTest("main")], [containerUnderTest("main"), containerUnderTest("other")]),
});

/** A runtime, and a kubelet that looks at it. */
class World {
  readonly #pod: Pod;
  #sandboxes: SandboxStatus[] = [];
  #containers: ContainerStatus[] = [];
  #time = 1;
  #isOver = false;
  reported: coreV1.PodStatus = {};
  readonly started: string[] = [];

  constructor(pod: Pod) {
    this.#pod = pod;
  }

  take(one: Step): void {
    this.#time++;
    if (one.do === "sync") this.#sync(one.failing);
    else if (one.do === "kill sandbox") this.#killSandboxes();
    // What it had said stands in the API.
    else if (one.do === "new kubelet") this.reported = structuredClone(this.reported);
    else this.#befall(one);
  }

  /** Those that are there to end do. */
  endInits(): void {
    const ending = this.#pod.spec?.initContainers?.filter(({ restartPolicy }) => restartPolicy !== "Always") ?? [];
    for (const one of this.#containers) {
      if (one.state === "running" && ending.some(({ name }) => name === one.name)) this.#end(one, 0);
    }
  }

  #befall(one: Extract<Step, { which: number }>): void {
    const running = this.#containers.filter(({ state }) => state === "running");
    const victim = running[one.which % Math.max(running.length, 1)];
    if (victim === undefined) return;
    if (one.do === "lose") this.#containers = this.#containers.filter((container) => container !== victim);
    else this.#end(victim, one.exitCode);
  }

  #sync(failing: number): void {
    const state = podState(this.#sandboxes, this.#containers);
    const status = this.#report(state);
    if (isTerminal(status.phase)) return void this.#stop();
    const isWhole = isWholeRestarting(this.#pod, state, this.reported);
    const actions = computePodActions({
      pod: this.#pod,
      state,
      probes: () => noResults,
      resizing: () => "none",
      isWholeRestarting: isWhole,
    });
    this.#act(actions, failing);
    this.#report(podState(this.#sandboxes, this.#containers));
  }

  #report(state: typeof nothingThere): coreV1.PodStatus {
    this.reported = podStatus({
      pod: { ...this.#pod, status: this.reported },
      state,
      reported: this.reported,
      runtimeName: "test",
      waits: () => undefined,
      probes: () => noResults,
      isOver: this.#isOver,
      isStatic: false,
      hostIps: [],
      resizeConditions: [],
      eviction: undefined,
      supportsRecursiveReadOnly: false,
    });
    return this.reported;
  }

  /** `failing`: so many containers are started before one cannot be. */
  #act(actions: PodActions, failing: number): void {
    if (actions.killPod) this.#killSandboxes();
    for (const { id } of actions.toKill)
      for (const one of this.#containers) if (one.id === id && one.state === "running") this.#end(one, 137);
    const inits = this.#pod.spec?.initContainers ?? [];
    if (actions.createSandbox) this.#containers = this.#containers.filter(({ name }) => inits.every((init) => init.name !== name));
    if (actions.createSandbox) this.#sandboxes.push({ ...sandboxUnderTest(actions.attempt, true), createdAt: this.#time });
    const sandbox = this.#sandboxes.at(-1);
    for (const { name } of [...actions.initToStart, ...actions.toStart].slice(0, failing)) this.#start(name, sandbox);
  }

  #start(name: string, sandbox: SandboxStatus | undefined): void {
    assert.ok(sandbox?.ready === true, `${name} is started without a sandbox`);
    const mine = this.#containers.filter((one) => one.name === name);
    assert.ok(
      mine.every(({ state }) => state !== "running"),
      `${name} is started while it runs`,
    );
    this.#checkOrder(name, sandbox);
    this.#checkPolicy(name, mine);
    const attempt = Math.max(-1, ...mine.map((one) => one.attempt)) + 1;
    this.#containers.push(containerStatus(this.#pod, `${name}:running@${attempt}`, this.#time++, sandbox.id));
    this.started.push(name);
  }

  /** An ordinary container runs only after all init containers have ended well, and all sidecars been started, in its sandbox. */
  #checkOrder(name: string, sandbox: SandboxStatus): void {
    if (!this.#pod.spec?.containers.some((one) => one.name === name)) return;
    const before = this.#containers.some(({ sandboxId, name: made }) => sandboxId === sandbox.id && made === name);
    for (const init of before ? [] : (this.#pod.spec.initContainers ?? [])) {
      const here = this.#containers.filter((one) => one.sandboxId === sandbox.id && one.name === init.name);
      const others = this.#containers.some(
        (one) => one.sandboxId === sandbox.id && this.#pod.spec?.containers.some((c) => c.name === one.name),
      );
      if (others) return;
      const isDone =
        init.restartPolicy === "Always" ? here.length > 0 : here.some(({ state, exitCode }) => state === "exited" && exitCode === 0);
      assert.ok(isDone, `${name} is started before ${init.name} is done`);
    }
  }

  #checkPolicy(name: string, mine: readonly ContainerStatus[]): void {
    const container = this.#pod.spec?.containers.find((one) => one.name === name);
    const last = latest(podState([], mine), name);
    if (container === undefined || last === undefined || this.#sandboxes.length > 1) return;
    assert.ok(restartsAfter(container, this.#pod, last.exitCode), `${name} is started though it has ended with ${last.exitCode}`);
  }

  #end(container: ContainerStatus, exitCode: number): void {
    const ended = { state: "exited" as const, exitCode, finishedAt: this.#time, reason: exitCode === 0 ? "Completed" : "Error" };
    this.#containers = this.#containers.map((one) => (one === container ? { ...one, ...ended } : one));
  }

  #killSandboxes(): void {
    for (const one of this.#containers) if (one.state === "running") this.#end(one, 137);
    this.#sandboxes = this.#sandboxes.map((sandbox) => ({ ...sandbox, ready: false }));
  }

  #stop(): void {
    this.#killSandboxes();
    this.#isOver = true;
    this.#report(podState(this.#sandboxes, this.#containers));
  }
}

const phases = ["Pending", "Running", "Succeeded", "Failed"];

test("whatever a runtime does, nothing is started twice, out of turn or against its policy, and an end is an end", () => {
  fc.assert(
    fc.property(spec, fc.array(step, { maxLength: 40 }), (given, steps) => {
      const world = new World(podUnderTest(given));
      let before: coreV1.PodStatus = {};
      for (const one of steps) {
        const startedBefore = world.started.length;
        world.take(one);
        const { phase = "Pending" } = world.reported;
        assert.ok(phases.includes(phase));
        if (isTerminal(before.phase)) {
          assert.equal(phase, before.phase);
          assert.equal(world.started.length, startedBefore, "nothing is started after the end");
        }
        for (const { name, restartCount } of world.reported.containerStatuses ?? []) {
          const was = before.containerStatuses?.find((status) => status.name === name)?.restartCount ?? 0;
          assert.ok(restartCount >= was, `${was} restarts of ${name} became ${restartCount}`);
        }
        before = world.reported;
      }
    }),
    { numRuns: 1000, seed: 1 },
  );
});

test("a Pod that may restart comes to rest when it is left in peace", () => {
  // With Never a Pod whose sandbox dies before all its containers were made is left as it is, as Kubernetes does.
  const lasting = spec.filter(({ restartPolicy }) => restartPolicy !== "Never");
  fc.assert(
    fc.property(lasting, fc.array(step, { maxLength: 20 }), (given, steps) => {
      const world = new World(podUnderTest(given));
      for (const one of steps) world.take(one);
      for (let i = 0; i < 60; i++) {
        world.take({ do: "sync", failing: 9 });
        if (world.reported.phase === "Pending") world.endInits();
      }
      assert.notEqual(world.reported.phase, "Pending", JSON.stringify(world.reported));
    }),
    { numRuns: 100, seed: 1 },
  );
});
