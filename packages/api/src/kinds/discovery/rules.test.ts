import { testRules } from "../rules-under-test.ts";

testRules([
  {
    name: "endpoints with addresses that cannot be reached",
    of: ["discovery.k8s.io", "v1", "endpointslices"],
    object: { addressType: "IPv4", endpoints: [{ addresses: ["127.0.0.1", "169.254.1.1"] }, { addresses: [] }] },
    expect: [
      'endpoints[0].addresses[0]: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
      'endpoints[0].addresses[1]: Invalid value: "169.254.1.1": may not be in the link-local range (169.254.0.0/16, fe80::/10)',
      "endpoints[1].addresses: Required value: must contain at least 1 address",
    ],
  },
]);
