import { z } from 'zod';
import { displayName } from './display-name';
import { eventGlob } from './event-glob';
import { filter } from './filter';
import { instant, instantQuery, replayId, targetId } from './primitives';
import { targetPolicy, targetPolicyChanges } from './target-policy';

const common = {
  name: displayName(80).regex(/^[^=,]*$/, 'a name has no = and no comma'),
  url: z.url({ protocol: /^https?$/, error: 'an http or https address' }).max(2_000),
  events: z.array(eventGlob).min(1).max(50),
  filter: filter.nullable(),
  /** False: new events pass the target by, for good. Pausing it keeps them instead. Enabling it undoes `disabled`. */
  enabled: z.boolean(),
};

const headerName = z
  .string()
  .max(100)
  .regex(/^[a-z0-9][a-z0-9_-]*$/i, 'letters, digits, hyphen and underscore')
  .toLowerCase();
const headerValue = z
  .string()
  .min(1)
  .max(4_000)
  .regex(
    /^[\x21-\x7e]([\x20-\x7e\t]*[\x21-\x7e])?$/,
    'visible ASCII characters, with spaces between them only',
  );

/** A header that each request to the target carries; a secret one's value is never shown again. */
const header = z.strictObject({
  name: headerName,
  /** Left out for a secret one: the value that it has stays. */
  value: headerValue.optional(),
  secret: z.boolean().default(false),
});

const pem = (what: string) =>
  z
    .string()
    .max(100_000)
    .regex(/-----BEGIN [A-Z0-9 ]+-----/, `${what} in PEM`);

const tls = z.strictObject({
  /** Trusted instead of the usual certificate authorities. */
  ca: pem('certificates').nullable().default(null),
  /** The client's certificate, its chain behind it. */
  cert: pem('certificates').nullable().default(null),
  /** Left out: the key that is there stays. Never shown again. */
  key: pem('a private key').nullable().optional(),
  /** False: whoever answers there gets the events. */
  verify: z.boolean().default(true),
});
export type TlsGiven = z.infer<typeof tls>;

const given = {
  policy: targetPolicyChanges,
  headers: z.array(header).max(20),
  tls: tls.nullable(),
};

export const targetCreate = z.strictObject({
  ...common,
  events: common.events.default(['*']),
  filter: common.filter.default(null),
  enabled: common.enabled.default(true),
  policy: given.policy.default({}),
  headers: given.headers.default([]),
  tls: given.tls.default(null),
  /** What is stored since then and would be accepted goes to it too, as a replay. Without it only what arrives from now on. */
  backfill_since: instantQuery.optional(),
});
export type TargetCreate = z.infer<typeof targetCreate>;

/** To another origin (scheme, host, port) no secret is carried over: secret headers and a private key have to be given again. */
export const targetPatch = z
  .strictObject({
    ...common,
    ...given,
    /** A new signing secret, at once; wanted where the origin changes. The answer shows it, this once. */
    new_secret: z.literal(true),
  })
  .partial();
export type TargetPatch = z.infer<typeof targetPatch>;

/** An address that is tried before it is saved. */
export const targetTrial = z.strictObject({
  url: common.url,
  policy: given.policy.default({}),
  headers: given.headers.default([]),
  tls: given.tls.default(null),
  /**
   * What is left out (secret values, a key, what signs) is this target's, as long as the origin is. To another origin, or
   * without a target, a secret signs that nobody knows.
   */
  target_id: targetId.optional(),
});
export type TargetTrial = z.infer<typeof targetTrial>;

export const target = z.object({
  id: targetId,
  ...common,
  policy: targetPolicy,
  headers: z.array(z.object({ name: z.string(), value: z.string().nullable(), secret: z.boolean() })),
  tls: z
    .object({
      ca: z.string().nullable(),
      cert: z.string().nullable(),
      has_key: z.boolean(),
      verify: z.boolean(),
    })
    .nullable(),
  /** Until then the secret before the last rotation signs too. */
  signs_twice_until: instant.nullable(),
  paused: z.object({ at: instant, reason: z.string() }).nullable(),
  /** Why Switchboard disabled it; null where it did not. What was open then is dead. */
  disabled: z.object({ at: instant, reason: z.string() }).nullable(),
  /** Open: nothing is sent but a probe now and then. Null while it is closed. */
  breaker: z
    .object({ opened_at: instant, reason: z.string(), probes: z.number().int(), probe_at: instant })
    .nullable(),
  backlog: z.object({
    open: z.number().int(),
    in_flight: z.number().int(),
    oldest_at: instant.nullable(),
  }),
  /** What one should know about these settings. */
  warnings: z.array(z.string()),
  created_at: instant,
  updated_at: instant,
});
export type Target = z.infer<typeof target>;

/** The secret that signs what the target gets (Standard Webhooks, `whsec_…`) is shown once, when it is made. */
export const targetCreated = target.extend({
  secret: z.string(),
  /** The replay of what is stored since `backfill_since`, where that was given. */
  backfill_replay_id: replayId.optional(),
});
export type TargetCreated = z.infer<typeof targetCreated>;

export const targetPatched = target.extend({
  /** The new signing secret, where `new_secret` wanted one; it is not shown again. */
  secret: z.string().optional(),
});
export type TargetPatched = z.infer<typeof targetPatched>;

/** For how long the secret before signs too, so that receivers can be told of the new one. */
export const secretRotation = z
  .strictObject({ overlap_seconds: z.number().int().min(0).max(2_592_000).default(86_400) })
  .prefault({});
export type SecretRotation = z.infer<typeof secretRotation>;

export const testOutcome = z.object({
  delivered: z.boolean(),
  status: z.number().int().nullable(),
  error: z.string().nullable(),
  duration_ms: z.number().int(),
  excerpt: z.string().nullable(),
});
export type TestOutcome = z.infer<typeof testOutcome>;
