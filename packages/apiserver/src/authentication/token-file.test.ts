import assert from "node:assert/strict";
import { test } from "node:test";
import { parseTokenFile } from "./token-file.ts";

const user = (token: string, name: string, uid: string, ...groups: string[]) => ({ token, name, uid, groups });

const readable = [
  { name: "three columns", text: "t1,jane,u1\n", expect: [user("t1", "jane", "u1")] },
  {
    name: "quoted list of groups",
    text: 't1,jane,u1,"system:masters,devs"\n',
    expect: [user("t1", "jane", "u1", "system:masters", "devs")],
  },
  { name: "one group needs no quotes", text: "t1,jane,u1,devs", expect: [user("t1", "jane", "u1", "devs")] },
  { name: "more columns are ignored", text: "t1,jane,u1,devs,x,y", expect: [user("t1", "jane", "u1", "devs")] },
  { name: "blank lines and CRLF", text: "\r\nt1,a,1\r\n\r\nt2,b,2\r\n", expect: [user("t1", "a", "1"), user("t2", "b", "2")] },
  { name: "a lone carriage return ends the last line", text: "t1,a,1\r", expect: [user("t1", "a", "1")] },
  { name: "spaces belong to the value", text: " t1, jane,u1 \n", expect: [user(" t1", " jane", "u1 ")] },
  { name: "doubled quotes", text: '"t""1",jane,u1\n', expect: [user('t"1', "jane", "u1")] },
  { name: "a line break inside quotes", text: 't1,"ja\nne",u1\n', expect: [user("t1", "ja\nne", "u1")] },
  { name: "empty uid", text: "t1,jane,\n", expect: [user("t1", "jane", "")] },
  { name: "an empty fourth column is a group without a name", text: "t1,jane,u1,\n", expect: [user("t1", "jane", "u1", "")] },
  { name: "nothing", text: "", expect: [] },
];
for (const { name, text, expect } of readable) {
  test(`token file: ${name}`, () => assert.deepEqual(parseTokenFile(text), expect));
}

const unreadable = [
  { text: "t1,jane\n", message: "token file 'f' must have at least 3 columns (token, user name, user uid), found 2" },
  { text: "t1\n", message: "token file 'f' must have at least 3 columns (token, user name, user uid), found 1" },
  { text: 'a,b,c\nt"1,jane,u1\n', message: 'parse error on line 2, column 2: bare " in non-quoted-field' },
  { text: 't1,"jane"x,u1\n', message: 'parse error on line 1, column 9: extraneous or missing " in quoted-field' },
  { text: 't1,"jane\n', message: 'parse error on line 1, column 10: extraneous or missing " in quoted-field' },
  { text: 't1,"jane', message: 'parse error on line 1, column 9: extraneous or missing " in quoted-field' },
  { text: 't1,"a\nb"x,1\n', message: 'record on line 1; parse error on line 2, column 2: extraneous or missing " in quoted-field' },
  { text: 'é,"a"b,c', message: 'parse error on line 1, column 6: extraneous or missing " in quoted-field' },
];
for (const { text, message } of unreadable) {
  test(`token file: refuses ${JSON.stringify(text)}`, () => assert.throws(() => parseTokenFile(text, { path: "f" }), { message }));
}

test("token file: empty tokens are left out and the last of two users has the token, with a warning each", () => {
  const warnings: string[] = [];
  const users = parseTokenFile(",ignored,0\nt1,a,1\nt1,b,2\n", { path: "f", warn: (text) => warnings.push(text) });
  assert.deepEqual(users, [user("t1", "b", "2")]);
  assert.deepEqual(warnings, [
    "empty token has been found in token file 'f', record number '1'",
    "duplicate token has been found in token file 'f', record number '3'",
  ]);
});
