import { z } from 'zod';
import { MAX_TARGET_HEADERS, SIGNATURE_FORMS, TARGET_FORMATS } from './constants';
import { displayName } from './display-name';
import { filter } from './filter';
import { eventId, eventPattern, instant, instantQuery, replayId, targetId } from './primitives';
import { targetHealth } from './target-health';
import { targetPolicy, targetPolicyChanges } from './target-policy';

export const targetName = displayName(80).regex(/^[^=,]*$/, 'must not contain = or a comma');

const headerName = z
  .string()
  .max(100)
  .regex(/^[A-Za-z0-9][A-Za-z0-9_-]*$/, 'letters, digits, hyphen and underscore')
  .toLowerCase();

/**
 * A further signature under a header of its own, so that a receiver need not change what verifies the webhooks of another
 * sender. The key is the whole text of the signing secret, with `whsec_`.
 */
const signature = z.strictObject({ header: headerName, form: z.enum(SIGNATURE_FORMS) });

/** What a target has in requests as in answers. */
export const commonFields = {
  name: targetName,
  /**
   * Of the format `email`: `smtps://user:password@host:465?from=…&to=…`, or `smtp:` for STARTTLS. User name and
   * password, and the `routing_key` of the format `pagerduty`, are moved to a secret header.
   */
  url: z.url({ protocol: /^(http|smtp)s?$/, error: 'an http or https URL' }).max(2_000),
  /**
   * `json`: the stored event. All others are messages for the service of that name, for a receiver of plain text, or
   * by e-mail; a target with such a format receives alerts and outages only.
   */
  format: z.enum(TARGET_FORMATS),
  /** Event types or patterns such as `deal.*`. `*` excludes system events. */
  events: z.array(eventPattern).min(1).max(50),
  /** Conditions on the payload; null: none. */
  filter: filter.nullable(),
  /**
   * False: the target does not receive new events, ever; pausing queues them instead. Enabling it clears `disabled`.
   */
  enabled: z.boolean(),
  /** Beside that of Standard Webhooks; null: none. */
  signature: signature.nullable(),
  /** Whether requests are also signed with Ed25519 (`v1a` of Standard Webhooks), which anyone can verify. */
  ed25519: z.boolean(),
};

const headerValue = z
  .string()
  .min(1)
  .max(4_000)
  .regex(
    /^[\x21-\x7e]([\x20-\x7e\t]*[\x21-\x7e])?$/,
    'visible ASCII characters, with spaces only in between',
  );

/** A header of every request to the target. */
const header = z.strictObject({
  name: headerName,
  /** Can be omitted for a secret header, which then keeps its value. */
  value: headerValue.optional(),
  /** Encrypted at rest and never returned. */
  secret: z.boolean().default(false),
});

const pem = (what: string) =>
  z
    .string()
    .max(100_000)
    .regex(/-----BEGIN [A-Z0-9 ]+-----/, `${what} in PEM`);

const tls = z.strictObject({
  /** Certificate authorities to trust instead of the system's. */
  ca: pem('certificates').nullable().default(null),
  /** Client certificate, followed by its chain. */
  cert: pem('certificates').nullable().default(null),
  /** Private key; if omitted, the current one is kept. Never returned. */
  key: pem('a private key').nullable().optional(),
  /** False: the server's certificate is not verified. */
  verify: z.boolean().default(true),
});
export type TlsInput = z.infer<typeof tls>;

/** What a request gives of a target, and answers show otherwise. */
export const inputFields = {
  policy: targetPolicyChanges,
  headers: z.array(header).max(MAX_TARGET_HEADERS),
  tls: tls.nullable(),
};

/** 24 to 64 bytes in base64. */
const SECRET =
  /^whsec_((?:[A-Za-z0-9+/]{4}){8,21}(?:[A-Za-z0-9+/]{2}==)?|(?:[A-Za-z0-9+/]{4}){8,20}[A-Za-z0-9+/]{3}=)$/;

/** A signing secret that the receiver knows already. */
export const signingSecret = z
  .string()
  .regex(
    SECRET,
    'whsec_ and 24 to 64 bytes in base64, such as the output of: echo whsec_$(openssl rand -base64 32)',
  );

/**
 * `http`: events are sent to its URL, also that of a mail server. `listener`: to the process that has connected for it,
 * `switchboard listen`.
 */
const kind = z.enum(['http', 'listener']);

/** A new target. */
const newTarget = z.strictObject({
  ...commonFields,
  /** By default `http`. */
  kind: kind.optional(),
  /** Required, except for a listener, which has none. */
  url: commonFields.url.optional(),
  /** Only of a listener: it is removed when its process ends, or a minute after the connection was lost. */
  ephemeral: z.boolean().optional(),
  /**
   * Only of a listener: if there is one of this name, its events, filter and policy are changed as given, and the
   * response is 200, without a secret.
   */
  attach: z.boolean().optional(),
  format: commonFields.format.default('json'),
  /** By default `*`, or `relay.*` with another format than `json`. */
  events: commonFields.events.optional(),
  /** By default null. */
  filter: commonFields.filter.optional(),
  enabled: commonFields.enabled.default(true),
  /** By default null. */
  signature: commonFields.signature.optional(),
  /** By default false. */
  ed25519: commonFields.ed25519.optional(),
  policy: inputFields.policy.default({}),
  headers: inputFields.headers.default([]),
  tls: inputFields.tls.default(null),
  /** By default a random one. The response contains it, once. */
  secret: signingSecret.optional(),
  /**
   * Also replays stored events received since then that the target accepts. By default it receives only new events.
   */
  backfill_since: instantQuery.optional(),
});
export const targetCreate = newTarget.refine(
  ({ kind: wanted, url }) => (wanted === 'listener') === (url === undefined),
  { path: ['url'], error: 'is required, except for a listener, which has none' },
);
export type TargetCreate = z.infer<typeof targetCreate>;

/**
 * Changes of a target. If the origin (scheme, host, port) changes, secret headers and a private key must be given
 * again, so that no secret is sent to another server.
 */
export const targetPatch = z
  .strictObject({
    ...commonFields,
    ...inputFields,
    /** Replaces the signing secret immediately; required if the origin changes. The response contains it, once. */
    new_secret: z.literal(true),
  })
  .partial();
export type TargetPatch = z.infer<typeof targetPatch>;

/** Settings to test before they are saved. */
export const targetTest = z.strictObject({
  url: commonFields.url,
  format: commonFields.format.default('json'),
  policy: inputFields.policy.default({}),
  headers: inputFields.headers.default([]),
  tls: inputFields.tls.default(null),
  signature: commonFields.signature.optional(),
  ed25519: commonFields.ed25519.optional(),
  /**
   * Omitted values (secret headers, key, signing secret) are taken from this target, if the origin is the same.
   * Otherwise the test is signed with a random secret.
   */
  target_id: targetId.optional(),
  /** Sends the payload of this event, under the id of a sample; otherwise a made-up payload. */
  event_id: eventId.optional(),
});
export type TargetTest = z.infer<typeof targetTest>;

const pauseFields = {
  /** Why, as shown to other operators. */
  reason: displayName(200).optional(),
  /** When deliveries are resumed automatically; null: when an operator resumes them. */
  until: instantQuery.nullable().optional(),
};
/** The targets that an action applies to: either `target_ids` or `all`. */
const chosenTargets = {
  target_ids: z.array(targetId).min(1).max(200).optional(),
  all: z.boolean().optional(),
};

/** Pauses a target, or changes the given fields of its pause. */
export const targetPause = z.strictObject(pauseFields).prefault({});
export type TargetPause = z.infer<typeof targetPause>;

/** `all` leaves out those that only receive system events: operators are still informed. */
export const targetsPause = z.strictObject({ ...pauseFields, ...chosenTargets }).prefault({});
export type TargetsPause = z.infer<typeof targetsPause>;

export const targetsResume = z.strictObject(chosenTargets).prefault({});
export type TargetsResume = z.infer<typeof targetsResume>;

/** The targets that an action changed. */
export const changedTargets = z.object({ target_ids: z.array(targetId) });
export type ChangedTargets = z.infer<typeof changedTargets>;

const listenerState = z.object({
  connected: z.boolean(),
  /** Since when it has been connected, or not; null before the first connection. */
  since: instant.nullable(),
  /** The remaining fields are those of the latest connection; null before the first one. */
  address: z.string().nullable(),
  version: z.string().nullable(),
  /** Where the process forwards events to, as it says. */
  forward_to: z.string().nullable(),
  /** The name of its API token; null if it has another login. */
  token: z.string().nullable(),
  ephemeral: z.boolean(),
});
export type ListenerState = z.infer<typeof listenerState>;

/** A target with its current state. */
export const target = z.object({
  id: targetId,
  ...commonFields,
  kind,
  /** Null for a listener. */
  url: commonFields.url.nullable(),
  /** Of a listener: whether its process is connected, and which one that is or was. Null for other targets. */
  listener: listenerState.nullable(),
  policy: targetPolicy,
  /** The value of a secret header is null. */
  headers: z.array(z.object({ name: z.string(), value: z.string().nullable(), secret: z.boolean() })),
  tls: z
    .object({
      ca: z.string().nullable(),
      cert: z.string().nullable(),
      has_key: z.boolean(),
      verify: z.boolean(),
    })
    .nullable(),
  /** The public key of `ed25519`: `whpk_` and 32 bytes in base64; null without it. */
  public_key: z.string().nullable(),
  /** End of a secret rotation, until which the previous secret signs as well; null without a rotation. */
  previous_secret_until: instant.nullable(),
  /** Null if it is not paused. `until`: when it is resumed automatically; null if it is not. */
  paused: z.object({ at: instant, reason: z.string(), until: instant.nullable() }).nullable(),
  /** Why Switchboard disabled it, which made its queued deliveries dead letters; null if it did not. */
  disabled: z.object({ at: instant, reason: z.string() }).nullable(),
  /** Set while the circuit breaker is open and only probes are sent. */
  breaker: z
    .object({ opened_at: instant, reason: z.string(), probes: z.number().int(), probe_at: instant })
    .nullable(),
  /** Queued deliveries, of which `open` includes `in_flight`, and `dead`: its dead letters. */
  backlog: z.object({
    open: z.number().int(),
    in_flight: z.number().int(),
    oldest_at: instant.nullable(),
    /**
     * How many are finished per minute, measured in the last quarter of an hour; null if that is not known, and while
     * it is paused, offline or down.
     */
    per_minute: z.number().nullable(),
    dead: z.number().int(),
  }),
  health: targetHealth,
  /** The manifest that it was applied from, which sets changes by hand back when it is applied again; null without one. */
  managed_by: z.string().nullable(),
  /** Notes about risky settings. */
  warnings: z.array(z.string()),
  created_at: instant,
  updated_at: instant,
});
export type Target = z.infer<typeof target>;

/** Contains the signing secret (Standard Webhooks, `whsec_…`), which is not shown again. */
export const targetCreated = target.extend({
  secret: z.string(),
  /** The replay of `backfill_since`, if that was given. */
  backfill_replay_id: replayId.optional(),
});
export type TargetCreated = z.infer<typeof targetCreated>;

/** The changed target. */
export const targetPatched = target.extend({
  /** The new signing secret, if `new_secret` was given; not shown again. */
  secret: z.string().optional(),
});
export type TargetPatched = z.infer<typeof targetPatched>;

/**
 * How long, in seconds, the previous secret signs as well, so that receivers can be updated; by default a day, at
 * most 30.
 */
export const secretRotation = z
  .strictObject({ overlap_seconds: z.number().int().min(0).max(2_592_000).default(86_400) })
  .prefault({});
export type SecretRotation = z.infer<typeof secretRotation>;
