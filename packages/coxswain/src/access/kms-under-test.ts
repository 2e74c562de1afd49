/** A small key management service: AES-GCM by a key for each key id, on a unix socket. */
import { createCipheriv, createDecipheriv, hash, randomBytes } from "node:crypto";
import { Server, ServerCredentials, type ServerUnaryCall, type sendUnaryData } from "@grpc/grpc-js";
import { kmsServiceDefinition } from "./kms-service.ts";

interface KmsRequest {
  readonly plaintext: Uint8Array;
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

export async function startKms(socket: string): Promise<KmsUnderTest> {
  const server = new Server();
  const kms: KmsUnderTest = { keyId: "1", healthz: "ok", decrypted: 0, close: () => server.forceShutdown() };
  const keyOf = (id: string): Buffer => hash("sha256", id, "buffer");
  type Answer = (request: KmsRequest) => object;
  const unary = (answer: Answer) => (call: ServerUnaryCall<object, object>, send: sendUnaryData<object>) => {
    try {
      send(null, answer(call.request as KmsRequest));
    } catch (error) {
      send({ code: 3, details: error instanceof Error ? error.message : String(error) });
    }
  };
  server.addService(kmsServiceDefinition, {
    Status: unary(() => ({ version: "v2", healthz: kms.healthz, keyId: kms.keyId })),
    Encrypt: unary(({ plaintext }) => {
      const nonce = randomBytes(12);
      const cipher = createCipheriv("aes-256-gcm", keyOf(kms.keyId), nonce);
      const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
      return { ciphertext, keyId: kms.keyId, annotations: { "nonce.example.com": nonce } };
    }),
    Decrypt: unary(({ ciphertext, keyId, annotations }) => {
      kms.decrypted++;
      const nonce = annotations["nonce.example.com"] ?? new Uint8Array(12);
      const decipher = createDecipheriv("aes-256-gcm", keyOf(keyId), nonce).setAuthTag(ciphertext.subarray(-16));
      return { plaintext: Buffer.concat([decipher.update(ciphertext.subarray(0, -16)), decipher.final()]) };
    }),
  });
  await new Promise<void>((resolve, reject) =>
    server.bindAsync(`unix:${socket}`, ServerCredentials.createInsecure(), (error) => (error === null ? resolve() : reject(error))),
  );
  return kms;
}
