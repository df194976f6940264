import { z } from 'zod';
import { MAX_TARGET_HEADERS, SIGNATURE_FORMS, TARGET_FORMATS } from './constants';
import { displayName } from './display-name';
import { filter } from './filter';
import { given } from './given';
import { eventPattern, instant, instantQuery, replayId, targetId } from './primitives';
import { targetHealth } from './target-health';
import { listenerState } from './target-listener';
import { signingSecret } from './target-secret';
import { targetPolicy, targetPolicyChanges } from './target-policy';
import { tls } from './target-tls';
import { transform, transformSettings } from './transform';

export const targetName = displayName(80)
  .regex(/^[^=,]*$/, 'must not contain = or a comma')
  .describe('A unique name, without `=` and comma.');

const headerName = z
  .string()
  .max(100)
  .regex(/^[A-Za-z0-9][A-Za-z0-9_-]*$/, 'letters, digits, hyphen and underscore')
  .toLowerCase()
  .describe('Its name.');

const signature = z
  .strictObject({ header: headerName, form: z.enum(SIGNATURE_FORMS).describe('How it is written.') })
  .describe(
    'A further signature under a header of its own, so that a receiver need not change what verifies the webhooks of another sender. The key is the whole text of the signing secret, with `whsec_`.',
  );

/** What a target has in requests as in answers. */
export const commonFields = {
  name: targetName.describe('Its unique name.'),
  url: z
    .url({ protocol: /^(http|smtp)s?$/, error: 'an http or https URL' })
    .max(2_000)
    .meta({ pattern: '^(?:[Hh][Tt][Tt][Pp]|[Ss][Mm][Tt][Pp])[Ss]?:' })
    .describe(
      'Of the format `email`: `smtps://user:password@host:465?from=…&to=…`, or `smtp:` for STARTTLS. User name and password, and the `routing_key` of the format `pagerduty`, are moved to a secret header.',
    ),
  format: z
    .enum(TARGET_FORMATS)
    .describe(
      '`json`: the stored event. All others are messages for the service of that name, for a receiver of plain text, or by e-mail; a target with such a format receives alerts and outages only.',
    ),
  events: z
    .array(eventPattern)
    .min(1)
    .max(50)
    .describe('Event types or patterns such as `deal.*`. `*` excludes system events.'),
  filter: filter.nullable().describe('Conditions on the payload; null: none.'),
  enabled: z
    .boolean()
    .describe(
      'False: the target does not receive new events, ever; pausing queues them instead. Enabling it clears `disabled`.',
    ),
  signature: signature.nullable().describe('Beside that of Standard Webhooks; null: none.'),
  ed25519: z
    .boolean()
    .describe(
      'Whether requests are also signed with Ed25519 (`v1a` of Standard Webhooks), which anyone can verify.',
    ),
};

const headerValue = z
  .string()
  .min(1)
  .max(4_000)
  .regex(
    /^[\x21-\x7e]([\x20-\x7e\t]*[\x21-\x7e])?$/,
    'visible ASCII characters, with spaces only in between',
  );

const header = z
  .strictObject({
    name: headerName,
    value: headerValue.optional().describe('Can be omitted for a secret header, which then keeps its value.'),
    secret: z.boolean().default(false).describe('Encrypted at rest and never returned.'),
  })
  .describe('A header of every request to the target.');

/** What a request gives of a target, and answers show otherwise. */
export const inputFields = {
  policy: targetPolicyChanges.describe(
    'How deliveries are sent; omitted fields keep their value, or have their default.',
  ),
  headers: z.array(header).max(MAX_TARGET_HEADERS).describe('Headers of every request to the target.'),
  tls: tls.nullable().describe("Certificates; null: the system's."),
  transform: transformSettings
    .nullable()
    .describe('An expression that makes the body; null: the stored bytes.'),
};

const kind = z
  .enum(['http', 'listener'])
  .describe(
    '`http`: events are sent to its URL, also that of a mail server. `listener`: to the process that has connected for it, `switchboard listen`.',
  );

const listener = {
  properties: { kind: { const: 'listener', description: 'It has no URL.' } },
  required: ['kind'],
};

const force = z.literal(true).optional().describe('Saves the expression although tests of it fail.');

const newTarget = z
  .strictObject({
    ...commonFields,
    kind: kind.optional().describe('By default `http`.'),
    url: commonFields.url.optional().describe('Required, except for a listener, which has none.'),
    ephemeral: z
      .boolean()
      .optional()
      .describe(
        'Only of a listener: it is removed when its process ends, or a minute after the connection was lost.',
      ),
    attach: z
      .boolean()
      .optional()
      .describe(
        'Only of a listener: if there is one of this name, its events, filter and policy are changed as given, and the response is 200, without a secret.',
      ),
    format: commonFields.format.default('json'),
    events: commonFields.events
      .optional()
      .describe('By default `*`, or `relay.*` with another format than `json`.'),
    filter: commonFields.filter.optional().describe('By default null.'),
    enabled: commonFields.enabled.default(true),
    signature: commonFields.signature.optional().describe('By default null.'),
    ed25519: commonFields.ed25519.optional().describe('By default false.'),
    policy: inputFields.policy.default({}),
    headers: inputFields.headers.default([]),
    tls: inputFields.tls.default(null),
    transform: inputFields.transform.optional().describe('By default null.'),
    force,
    secret: signingSecret.optional().describe('By default a random one. The response contains it, once.'),
    backfill_since: instantQuery
      .optional()
      .describe(
        'Also replays stored events received since then that the target accepts. By default it receives only new events.',
      ),
  })
  .describe('A new target.');
export const targetCreate = newTarget
  .refine(({ kind: wanted, url }) => (wanted === 'listener') === (url === undefined), {
    path: ['url'],
    error: 'is required, except for a listener, which has none',
  })
  // By `not`, since generators of clients take `anyOf` for all that a target has.
  .meta({
    not: {
      anyOf: [
        { properties: { ...listener.properties, ...given('url').properties }, required: ['kind', 'url'] },
        { not: { anyOf: [given('url'), listener] } },
      ],
    },
  });
export type TargetCreate = z.infer<typeof targetCreate>;

export const targetPatch = z
  .strictObject({
    ...commonFields,
    ...inputFields,
    force,
    new_secret: z
      .literal(true)
      .describe(
        'Replaces the signing secret immediately; required if the origin changes. The response contains it, once.',
      ),
  })
  .partial()
  .describe(
    'Changes of a target. If the origin (scheme, host, port) changes, secret headers and a private key must be given again, so that no secret is sent to another server.',
  );
export type TargetPatch = z.infer<typeof targetPatch>;

const routing = z
  .enum(['routed', 'draining'])
  .nullable()
  .describe(
    '`routed`: the filter compares with the state before, so deliveries are created right after an event is stored. `draining`: it no longer does, and the last of them are being created. Null for other targets.',
  );
export type Routing = NonNullable<z.infer<typeof routing>>;

export const target = z
  .object({
    id: targetId,
    ...commonFields,
    kind,
    url: commonFields.url.nullable().describe('Null for a listener.'),
    listener: listenerState
      .nullable()
      .describe(
        'Of a listener: whether its process is connected, and which one that is or was. Null for other targets.',
      ),
    policy: targetPolicy.describe('How deliveries are sent.'),
    headers: z
      .array(
        z.object({
          name: z.string().describe('Its name, in lowercase.'),
          value: z.string().nullable().describe('Its value; null if it is secret.'),
          secret: z.boolean().describe('Whether it is secret.'),
        }),
      )
      .describe('The value of a secret header is null.'),
    tls: z
      .object({
        ca: z.string().nullable().describe("Certificate authorities to trust instead of the system's."),
        cert: z.string().nullable().describe('Client certificate, followed by its chain.'),
        has_key: z.boolean().describe('Whether a private key is stored.'),
        verify: z.boolean().describe("False: the server's certificate is not verified."),
      })
      .nullable()
      .describe("Certificates; null: the system's."),
    transform: transform.nullable().describe('Null: it is sent the stored bytes.'),
    public_key: z
      .string()
      .nullable()
      .describe('The public key of `ed25519`: `whpk_` and 32 bytes in base64; null without it.'),
    previous_secret_until: instant
      .nullable()
      .describe(
        'End of a secret rotation, until which the previous secret signs as well; null without a rotation.',
      ),
    paused: z
      .object({
        at: instant.describe('When it was paused.'),
        reason: z.string().describe('Why.'),
        until: instant.nullable().describe('When it is resumed automatically; null if it is not.'),
      })
      .nullable()
      .describe('Null if it is not paused. `until`: when it is resumed automatically; null if it is not.'),
    disabled: z
      .object({ at: instant.describe('When it was disabled.'), reason: z.string().describe('Why.') })
      .nullable()
      .describe(
        'Why Switchboard disabled it, which made its queued deliveries dead letters; null if it did not.',
      ),
    breaker: z
      .object({
        opened_at: instant.describe('When it opened.'),
        reason: z.string().describe('Why.'),
        probes: z.number().int().describe('How many probes have failed.'),
        probe_at: instant.describe('When the next probe is due.'),
      })
      .nullable()
      .describe('Set while the circuit breaker is open and only probes are sent.'),
    backlog: z
      .object({
        open: z.number().int().describe('Queued deliveries, with those in flight.'),
        in_flight: z.number().int().describe('Those of which an attempt is in progress.'),
        oldest_at: instant.nullable().describe('When the oldest of them was created; null if there is none.'),
        per_minute: z
          .number()
          .nullable()
          .describe(
            'How many are delivered per minute, measured in the last quarter of an hour; null if that is not known, and while it is disabled, paused, offline, down, blocked or failing.',
          ),
        growing: z
          .boolean()
          .describe('Whether more was queued after each of the latest three whole minutes than before it.'),
        dead: z.number().int().describe('Its dead letters.'),
      })
      .describe('Queued deliveries, of which `open` includes `in_flight`, and `dead`: its dead letters.'),
    health: targetHealth,
    routing,
    managed_by: z
      .string()
      .nullable()
      .describe(
        'The manifest that it was applied from, which sets changes by hand back when it is applied again; null without one.',
      ),
    warnings: z.array(z.string()).describe('Notes about risky settings.'),
    created_at: instant.describe('When it was created.'),
    updated_at: instant.describe('When its settings last changed.'),
  })
  .describe('A target with its current state.');
export type Target = z.infer<typeof target>;

export const targetCreated = target
  .extend({
    secret: z.string().describe('The signing secret, which is not shown again.'),
    backfill_replay_id: replayId.optional().describe('The replay of `backfill_since`, if that was given.'),
  })
  .describe('Contains the signing secret (Standard Webhooks, `whsec_…`), which is not shown again.');
export type TargetCreated = z.infer<typeof targetCreated>;

export const targetPatched = target
  .extend({
    secret: z
      .string()
      .optional()
      .describe('The new signing secret, if `new_secret` was given; not shown again.'),
  })
  .describe('The changed target.');
export type TargetPatched = z.infer<typeof targetPatched>;
