import assert from "node:assert/strict";
import { test } from "node:test";
import { StartError } from "../process/start-error.ts";
import { checkAdvertised, serviceIpRangesOf } from "./service-ip-ranges.ts";

const cases = [
  { ranges: ["10.96.0.0/12", "fd00::/112"], advertised: "192.0.2.1", says: undefined },
  { ranges: ["fd00::/112", "10.96.0.0/12"], advertised: "2001:db8::1", says: undefined },
  { ranges: ["fd00::/112"], advertised: undefined, says: undefined },
  { ranges: ["fd00::/112"], advertised: "192.0.2.1", says: 'service IP family "fd00::/112" must match public address family "192.0.2.1"' },
  {
    ranges: ["10.96.0.0/12", "fd00::/112"],
    advertised: "2001:db8::1",
    says: 'service IP family "10.96.0.0/12" must match public address family "2001:db8::1"',
  },
];
for (const { ranges, advertised, says } of cases)
  test(`a server at ${advertised ?? "no address"} with Services of ${ranges.join(",")} ${says === undefined ? "starts" : "does not start"}`, () => {
    const check = (): void => checkAdvertised(serviceIpRangesOf({ serviceClusterIpRange: ranges }), advertised);
    if (says === undefined) check();
    else assert.throws(check, new StartError(says));
  });

test("ranges that Services cannot have keep a server from starting", () =>
  assert.throws(
    () => serviceIpRangesOf({ serviceClusterIpRange: ["x"] }),
    new StartError("service-cluster-ip-range[0] is not a valid cidr"),
  ));
