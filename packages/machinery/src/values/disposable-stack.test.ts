import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { AsyncDisposableStack, DisposableStack } from "./disposable-stack.ts";

describe("DisposableStack", () => {
  it("disposes in reverse order, once", () => {
    const ended: string[] = [];
    const stack = new DisposableStack();
    const first = { [Symbol.dispose]: () => void ended.push("first") };
    assert.equal(stack.use(first), first);
    stack.use(undefined);
    stack.defer(() => void ended.push("second"));
    stack.dispose();
    stack.dispose();
    assert.deepEqual(ended, ["second", "first"]);
    assert.equal(stack.disposed, true);
  });

  it("gives what it owns to another stack", () => {
    const ended: string[] = [];
    const stack = new DisposableStack();
    stack.defer(() => void ended.push("moved"));
    const next = stack.move();
    stack.dispose();
    assert.deepEqual(ended, []);
    assert.throws(() => stack.defer(() => undefined), ReferenceError);
    assert.throws(() => stack.move(), ReferenceError);
    next[Symbol.dispose]();
    assert.deepEqual(ended, ["moved"]);
  });

  it("disposes of all when some throw, and throws what they threw", () => {
    const ended: string[] = [];
    const failing = (name: string) => () => {
      throw new Error(name);
    };
    const one = new DisposableStack();
    one.defer(() => void ended.push("last"));
    one.defer(failing("one"));
    assert.throws(() => one.dispose(), { message: "one" });
    assert.deepEqual(ended, ["last"]);
    const two = new DisposableStack();
    two.defer(failing("second"));
    two.defer(failing("first"));
    assert.throws(
      () => two.dispose(),
      (error) => error instanceof AggregateError && error.errors.map((e: Error) => e.message).join() === "first,second",
    );
  });

  it("refuses what cannot be disposed of", () => {
    assert.throws(() => new DisposableStack().use({} as Disposable), TypeError);
    assert.throws(() => new AsyncDisposableStack().use({} as AsyncDisposable), TypeError);
  });
});

describe("AsyncDisposableStack", () => {
  it("awaits each resource before the earlier one", async () => {
    const ended: string[] = [];
    const stack = new AsyncDisposableStack();
    stack.use({ [Symbol.dispose]: () => void ended.push("synchronous") });
    stack.use({
      async [Symbol.asyncDispose]() {
        await Promise.resolve();
        ended.push("asynchronous");
      },
    });
    const next = stack.move();
    await stack.disposeAsync();
    assert.deepEqual(ended, []);
    await next[Symbol.asyncDispose]();
    assert.deepEqual(ended, ["asynchronous", "synchronous"]);
    assert.throws(() => next.use(null), ReferenceError);
  });

  it("rejects with what was thrown after all has been disposed of", async () => {
    let isEnded = false;
    const stack = new AsyncDisposableStack();
    stack.defer(() => {
      isEnded = true;
    });
    stack.defer(() => Promise.reject(new Error("no")));
    await assert.rejects(stack.disposeAsync(), { message: "no" });
    assert.equal(isEnded, true);
  });
});
