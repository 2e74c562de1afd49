/** A small key management service: AES-GCM by a key for each key id, on a unix socket. */
import { createCipheriv, createDecipheriv, hash, randomBytes } from "node:crypto";
import { grpcMethods, parseProto } from "@coxswain/grpc";
import { serveGrpc } from "./grpc-server.ts";

/** @see https://github.com/kubernetes/kms/blob/master/apis/v2/api.proto */
const definition = `
  package v2;
  service KeyManagementService {
    rpc Status(StatusRequest) returns (StatusResponse);
    rpc Decrypt(DecryptRequest) returns (DecryptResponse);
    rpc Encrypt(EncryptRequest) returns (EncryptResponse);
  }
  message StatusRequest {}
  message StatusResponse { string version = 1; string healthz = 2; string key_id = 3; }
  message DecryptRequest { bytes ciphertext = 1; string uid = 2; string key_id = 3; map<string, bytes> annotations = 4; }
  message DecryptResponse { bytes plaintext = 1; }
  message EncryptRequest { bytes plaintext = 1; string uid = 2; }
  message EncryptResponse { bytes ciphertext = 1; string key_id = 2; map<string, bytes> annotations = 3; }
`;

interface EncryptRequest {
  readonly plaintext: Uint8Array;
}

interface DecryptRequest {
  readonly ciphertext: Uint8Array;
  readonly keyId: string;
  readonly annotations: Readonly<Record<string, Uint8Array>>;
}

export interface KmsUnderTest {
  /** With which it encrypts. */
  keyId: string;
  healthz: string;
  /** How often it was asked to decrypt. */
  decrypted: number;
  close(): void;
}

/** @param socket begins with `\0` for an abstract one */
export async function startKms(socket: string): Promise<KmsUnderTest> {
  const kms: KmsUnderTest = { keyId: "1", healthz: "ok", decrypted: 0, close: () => server.stop() };
  const keyOf = (id: string): Buffer => hash("sha256", id, "buffer");
  const handlers = {
    Status: () => ({ version: "v2", healthz: kms.healthz, keyId: kms.keyId }),
    Encrypt: ({ plaintext }: EncryptRequest) => {
      const nonce = randomBytes(12);
      const cipher = createCipheriv("aes-256-gcm", keyOf(kms.keyId), nonce);
      const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
      return { ciphertext, keyId: kms.keyId, annotations: { "nonce.example.com": nonce } };
    },
    Decrypt: ({ ciphertext, keyId, annotations }: DecryptRequest) => {
      kms.decrypted++;
      const nonce = annotations["nonce.example.com"] ?? new Uint8Array(12);
      const decipher = createDecipheriv("aes-256-gcm", keyOf(keyId), nonce).setAuthTag(ciphertext.subarray(-16));
      return { plaintext: Buffer.concat([decipher.update(ciphertext.subarray(0, -16)), decipher.final()]) };
    },
  };
  const server = await serveGrpc({ methods: grpcMethods(parseProto(definition), "v2.KeyManagementService"), handlers, socket });
  return kms;
}
