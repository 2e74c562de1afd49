import assert from "node:assert/strict";
import { after, test } from "node:test";
import { checkAmbiguousNames, checkDeniedNames, checkFileName, checkPredicates, declaredNames, deniedName } from "./names.ts";
import { openVirtualProgram } from "./program.ts";

const denied = [
  "tell",
  "told",
  "#told",
  "tellPod",
  "watchMustTell",
  "lookAgainMs",
  "mostBytes",
  "longest_line",
  "Fate",
  "startSoon",
  "Past",
  "nobodys",
];
const fine = [
  "teller",
  "lookup",
  "most",
  "longest",
  "almostFull",
  "longestPrefix",
  "maxBytes",
  "bonded",
  "past",
  "toString",
  "constructor",
];
for (const name of denied) test(`names: ${name} is denied`, () => assert.notEqual(deniedName(name), undefined));
for (const name of fine) test(`names: ${name} is allowed`, () => assert.equal(deniedName(name), undefined));

test("names: folders and files count, extensions do not", () => {
  assert.deepEqual(
    checkFileName("packages/store/src/fates/start-soon.test.ts").map(({ message }) => message),
    ["fates: fates → states, outcomes", "start-soon.test.ts: soon → in background"],
  );
});

const program = openVirtualProgram({
  "declarations.ts": `import { tell as report } from "./other.ts";
import * as looks from "./other.ts";
export class C { told = 1; #fate() { return this.told; } get look() { return looks; } }
interface I { told?: boolean; tell(mostBytes: number): void }
const { fate: renamed, doubt } = x; // a property that is read has its name from elsewhere
x.tell({ told: report });`,
  "predicates.ts": `declare class Promise<T> {}
export function isBad(x: string) { return x + " is empty"; }
export function isGood(x: unknown): x is string { return true; }
const hasNone = () => false, isPart = true;
interface I { isReady?(): Promise<boolean>; readonly hasText?: () => string }
class C { #isOpen() { return 1; } static issue() { return 1; } hasMany(): boolean { return true; } }`,
  "read-a.ts": "export const read = 1;",
  "read-b.ts": "export function read() {}\nexport { keyOf } from './c.ts';",
  "c.ts": "export const keyOf = 1; const Place = 1;",
  "d.ts": "export interface Place {}",
});
after(() => program[Symbol.dispose]());

function declared(file: string) {
  const source = program.sourceFile(file);
  assert.ok(source);
  return declaredNames(file, source);
}

test("names: only where they are declared", () => {
  assert.deepEqual(
    checkDeniedNames(declared("declarations.ts")).map(({ line, message }) => `${line} ${message.split(":")[0]}`),
    ["2 looks", "3 told", "3 #fate", "3 look", "4 told", "4 tell", "4 mostBytes", "5 doubt"],
  );
});

test("names: is… and has… return booleans, also by inference and as a promise", () => {
  assert.deepEqual(
    checkPredicates(declared("predicates.ts"), program.checker).map(({ line, message }) => `${line} ${message.split(":")[0]}`),
    ["2 isBad returns string", "5 hasText returns string", "6 #isOpen returns number"],
  );
});

test("names: of the list, one that two modules export; an export of another module's name counts once", () => {
  const names = ["read-a.ts", "read-b.ts", "c.ts", "d.ts"].flatMap(declared);
  assert.deepEqual(
    checkAmbiguousNames(names).map(({ file, message }) => `${file} ${message}`),
    ["read-a.ts read is exported by 2 modules: say which", "read-b.ts read is exported by 2 modules: say which"],
  );
});
