import { z } from 'zod';

/** 24 to 64 bytes in base64. */
const SECRET =
  /^whsec_((?:[A-Za-z0-9+/]{4}){8,21}(?:[A-Za-z0-9+/]{2}==)?|(?:[A-Za-z0-9+/]{4}){8,20}[A-Za-z0-9+/]{3}=)$/;

export const signingSecret = z
  .string()
  .regex(
    SECRET,
    'whsec_ and 24 to 64 bytes in base64, such as the output of: echo whsec_$(openssl rand -base64 32)',
  )
  .describe('A signing secret that the receiver knows already.');

export const secretRotation = z
  .strictObject({
    overlap_seconds: z
      .number()
      .int()
      .min(0)
      .max(2_592_000)
      .default(86_400)
      .describe('How long the previous secret signs as well.'),
  })
  .prefault({})
  .describe(
    'How long, in seconds, the previous secret signs as well, so that receivers can be updated; by default a day, at most 30.',
  );
export type SecretRotation = z.infer<typeof secretRotation>;
