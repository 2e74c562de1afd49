import { testRules } from "../rules-under-test.ts";
import { certificatePem, requestPem } from "./certificate-signing-request/pem-under-test.ts";

const csr = { request: btoa(requestPem), signerName: "example.com/s", usages: ["client auth"] };
const approved = { conditions: [{ type: "Approved", status: "True" }] };

testRules([
  {
    name: "a certificate request's signer and usages",
    of: ["certificates.k8s.io", "v1", "certificatesigningrequests"],
    object: { spec: { ...csr, signerName: "signer", usages: ["signing", "signing"], expirationSeconds: 10 } },
    expect: [
      'spec.usages[1]: Duplicate value: "signing"',
      "spec.signerName: Invalid value: \"signer\": must be a fully qualified domain and path of the form 'example.com/signer-name'",
      "spec.expirationSeconds: Invalid value: 10: may not specify a duration less than 600 seconds (10 minutes)",
    ],
  },
  {
    name: "that a decision is not made through the status",
    of: ["certificates.k8s.io", "v1", "certificatesigningrequests"],
    object: { spec: csr, status: approved },
    before: { spec: csr },
    status: true,
    expect: ['status.conditions: Forbidden: updates may not add a condition of type "Approved"'],
  },
  {
    name: "that a certificate stays",
    of: ["certificates.k8s.io", "v1", "certificatesigningrequests"],
    object: { spec: csr, status: { certificate: btoa(certificatePem) } },
    before: { spec: csr, status: { certificate: "eA==" } },
    status: true,
    expect: ["status.certificate: Forbidden: updates may not modify existing certificate content"],
  },
]);
