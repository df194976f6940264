/*
 * Values that the dashboard needs at run time. Nothing is imported here, so that the dashboard does not load zod.
 */

/** Prefix of the types of system events; no Co-Pilot type has it (document, 6.1). */
export const SYSTEM_EVENT_PREFIX = 'relay.';

/** Type of the system event at the place in the order of events where some may be missing. */
export const GAP_EVENT = 'relay.gap';

/** Type of an event whose own type cannot be read. Only a plain `*` matches it, and no payload filter does. */
export const UNREADABLE_TYPE = 'unreadable';

/** Why an attempt failed: `http_status` or `smtp_reply` if the target responded, any other value if it did not. */
export const ATTEMPT_ERRORS = [
  'http_status',
  'connection_refused',
  'connection_reset',
  'timeout',
  'name_not_found',
  'name_lookup_failed',
  'tls',
  'certificate_expired',
  'certificate_unknown',
  'certificate_name',
  'tls_expected',
  'tls_not_spoken',
  'answer_too_large',
  'response_invalid',
  'unreachable',
  'local_failure',
  'address_denied',
  'own_intake',
  'proxy_failed',
  'smtp_reply',
  'transform_failed',
  'network',
] as const;

/** The reason of a pause for which the operator gave none. */
export const DEFAULT_PAUSE_REASON = 'Paused manually.';

/** Why a delivery ended without another attempt: its target responded 410 Gone, or it was older than `max_age_s`. */
export const ENDINGS = ['gone', 'expired'] as const;

const DAY_S = 86_400;

/** Minimum and maximum of each number in a target's policy. */
export const POLICY_LIMITS = {
  timeout_ms: [1_000, 60_000],
  concurrency: [1, 64],
  rate: [1, 100_000],
  delay_s: [0.1, 30 * DAY_S],
  attempts: [1, 100],
  first_s: [0.1, DAY_S],
  factor: [1, 10],
  cap_s: [1, 30 * DAY_S],
  jitter: [0, 1],
  max_age_s: [60, 90 * DAY_S],
  retry_after_cap_s: [0, 7 * DAY_S],
  failures: [1, 1_000],
  first_probe_s: [0.1, DAY_S],
  probe_cap_s: [1, DAY_S],
} as const;

/** How many extra headers a target may have. */
export const MAX_TARGET_HEADERS = 20;

/**
 * The forms in which a target receives events: as they are stored (`json`), or as messages. A target with another
 * format than `json` receives alerts and outages only.
 */
export const TARGET_FORMATS = [
  'json',
  'slack',
  'teams',
  'discord',
  'pagerduty',
  'ntfy',
  'text',
  'email',
] as const;

/**
 * Forms of a further signature, an HMAC-SHA256 of the body: in use at GitHub and Meta, at Linear, at Shopify
 * and WooCommerce, and at Stripe. The last one is of the time, a dot and the body.
 */
export const SIGNATURE_FORMS = ['sha256={hex}', '{hex}', '{base64}', 't={time},v1={hex}'] as const;

/** Events of a target that receives messages, unless others are chosen. */
export const ALERT_EVENTS = ['relay.*'];

/** Headers of an export: the number of events, and whether it is an estimate. */
export const EXPORT_TOTAL_HEADER = 'switchboard-export-total';
export const EXPORT_ESTIMATED_HEADER = 'switchboard-export-estimated';

/** Header of the API's answers: the version of the hub. */
export const VERSION_HEADER = 'switchboard-version';

/**
 * Carries the second half of a session, beside the cookie. A browser sends cookies to every port of a host and lets
 * every port set them (RFC 6265, 8.5), but gives `localStorage` only to pages of the same origin.
 */
export const SESSION_HEADER = 'x-switchboard-request';

/** Key of the second half of the session in `localStorage`. */
export const SESSION_SECRET_KEY = 'switchboard-session';

/** How many events of a type are examined before its schema has a version, unless a day passes first. */
export const SCHEMA_LEARNED_EVENTS = 50;

/** Socket.IO namespace of the live connection. */
export const LIVE_NAMESPACE = '/live';

/** Socket.IO namespace in which processes connect for listeners. */
export const LISTEN_NAMESPACE = '/listen';

/**
 * Characters that affect their surroundings without being visible: control characters, which terminals interpret as
 * commands, and characters that reverse or hide the text around them. Joiners and tags, which emoji and some scripts
 * need, are excluded.
 */
export const UNPRINTABLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]|(?!\u200c|\u200d|[\u{e0020}-\u{e007f}])\p{Cf}/u;
