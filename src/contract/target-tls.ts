import { z } from 'zod';

const pem = (what: string) =>
  z
    .string()
    .max(100_000)
    .regex(/-----BEGIN [A-Z0-9 ]+-----/, `${what} in PEM`);

/** What a target may be given instead of the system's certificates. */
export const tls = z.strictObject({
  ca: pem('certificates')
    .nullable()
    .default(null)
    .describe("Certificate authorities to trust instead of the system's."),
  cert: pem('certificates').nullable().default(null).describe('Client certificate, followed by its chain.'),
  key: pem('a private key')
    .nullable()
    .optional()
    .describe('Private key; if omitted, the current one is kept. Never returned.'),
  verify: z.boolean().default(true).describe("False: the server's certificate is not verified."),
});
export type TlsInput = z.infer<typeof tls>;
