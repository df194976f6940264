import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { z } from 'zod';

export type HttpFormat = 'slack' | 'teams' | 'discord' | 'pagerduty' | 'ntfy' | 'text';

/** A request that a service accepted. */
export interface Posted {
  headers: IncomingHttpHeaders;
  body: string;
}

/** The addresses that the services give out, with made-up secrets; PagerDuty's is in the body. */
const PATHS: Record<HttpFormat, string> = {
  slack: '/services/T00000000/B00000000/slack-webhook-secret',
  teams: '/workflows/0123/triggers/manual/paths/invoke?api-version=1&sig=teams-webhook-signature',
  discord: '/api/webhooks/1234/discord-webhook-secret',
  pagerduty: '/v2/enqueue',
  ntfy: '/alerts-topic-secret',
  text: '/text',
};

const ROUTING_KEY = 'R0UTINGKEY0123456789ABCDEFGHIJKL';

const url = z.url({ protocol: /^https?$/ });
const nonEmpty = (max: number) => z.string().min(1).max(max);

/** docs.slack.dev/messaging/formatting-message-text: `<` only begins a link; `<!` would notify everyone. */
const mrkdwn = (max: number) =>
  z.strictObject({
    type: z.literal('mrkdwn'),
    text: nonEmpty(max).regex(/^([^<>&]|&(amp|lt|gt);|<https?:[^<>]*>)*$/u),
  });

const plainText = (max: number) =>
  z.strictObject({ type: z.literal('plain_text'), text: nonEmpty(max), emoji: z.boolean().optional() });

/** Block Kit: docs.slack.dev/reference/block-kit/blocks. */
const slack = z.strictObject({
  text: nonEmpty(4_000),
  mrkdwn: z.boolean().optional(),
  blocks: z
    .array(
      z.discriminatedUnion('type', [
        z.strictObject({
          type: z.literal('header'),
          text: z.strictObject({ type: z.literal('plain_text'), text: nonEmpty(150) }),
        }),
        z.strictObject({ type: z.literal('section'), text: z.union([mrkdwn(3_000), plainText(3_000)]) }),
        z.strictObject({ type: z.literal('context'), elements: z.array(mrkdwn(3_000)).min(1).max(10) }),
      ]),
    )
    .min(1)
    .max(50),
});

/** The schema of adaptive cards 1.5 (adaptivecards.io/schemas/adaptive-card.json), as far as it is used. */
const card = z.strictObject({
  $schema: url,
  type: z.literal('AdaptiveCard'),
  version: z.enum(['1.0', '1.1', '1.2', '1.3', '1.4', '1.5']),
  body: z
    .array(
      z.discriminatedUnion('type', [
        z.strictObject({
          type: z.literal('TextBlock'),
          text: z.string().min(1),
          wrap: z.boolean().optional(),
          size: z.enum(['default', 'small', 'medium', 'large', 'extraLarge']).optional(),
          weight: z.enum(['default', 'lighter', 'bolder']).optional(),
          color: z.enum(['default', 'dark', 'light', 'accent', 'good', 'warning', 'attention']).optional(),
        }),
        z.strictObject({
          type: z.literal('FactSet'),
          facts: z.array(z.strictObject({ title: z.string(), value: z.string() })),
        }),
      ]),
    )
    .min(1),
  actions: z.array(z.strictObject({ type: z.literal('Action.OpenUrl'), title: z.string(), url })),
});

/** learn.microsoft.com, "Create an Incoming Webhook" and "Post a workflow when a webhook request is received". */
const teams = z.strictObject({
  type: z.literal('message'),
  attachments: z.tuple([
    z.strictObject({
      contentType: z.literal('application/vnd.microsoft.card.adaptive'),
      contentUrl: z.null(),
      content: card,
    }),
  ]),
});
const TEAMS_BYTES = 28 * 1024;

/** discord.com/developers/docs/resources/webhook#execute-webhook and message#embed-object-embed-limits. */
const embed = z.strictObject({
  title: nonEmpty(256),
  url,
  description: nonEmpty(4_096),
  color: z.number().int().min(0).max(0xffffff),
  fields: z
    .array(z.strictObject({ name: nonEmpty(256), value: nonEmpty(1_024) }))
    .max(25)
    .optional(),
  footer: z.strictObject({ text: nonEmpty(2_048) }),
});
const DISCORD_CHARACTERS = 6_000;
const discord = z.strictObject({
  embeds: z.array(embed).min(1).max(10),
  allowed_mentions: z.strictObject({ parse: z.tuple([]) }),
});

/** developer.pagerduty.com/docs/send-alert-event: only a trigger has a payload, and a resolve needs its key. */
const pagerduty = z.discriminatedUnion('event_action', [
  z.strictObject({
    event_action: z.literal('trigger'),
    routing_key: z.string().length(32),
    dedup_key: nonEmpty(255),
    payload: z.strictObject({
      summary: nonEmpty(1_024),
      source: z.string().min(1),
      severity: z.enum(['critical', 'error', 'warning', 'info']),
      timestamp: z.iso.datetime(),
      class: z.string(),
      custom_details: z.record(z.string(), z.unknown()),
    }),
    client: z.string(),
    client_url: url,
    links: z.array(z.strictObject({ href: url, text: z.string() })),
  }),
  z.strictObject({
    event_action: z.literal('resolve'),
    routing_key: z.string().length(32),
    dedup_key: nonEmpty(255),
  }),
]);

/** docs.ntfy.sh/publish: a longer body becomes an attachment; 1 to 5 are the priorities. */
const NTFY_BYTES = 4_096;
const ntfyHeaders = z.object({
  title: nonEmpty(1_000).regex(/^[\x20-\x7e]+$/),
  priority: z.enum(['1', '2', '3', '4', '5']),
  tags: z.string().regex(/^[a-z0-9_,]+$/),
  click: url,
});

const json =
  (schema: z.ZodType, maxBytes = Infinity) =>
  ({ headers, body }: Posted) => {
    if (!/^application\/json(;|$)/.test(headers['content-type'] ?? '')) throw new Error('not JSON');
    if (Buffer.byteLength(body) > maxBytes) throw new Error('too large');
    schema.parse(JSON.parse(body));
  };

/** What each service checks; each throws if it rejects the request. */
export const RULES: Record<HttpFormat, (posted: Posted) => void> = {
  slack: json(slack),
  teams: json(teams, TEAMS_BYTES),
  discord: (posted) => {
    json(discord)(posted);
    const { embeds } = discord.parse(JSON.parse(posted.body));
    const texts = embeds.flatMap(({ title, description, fields = [], footer }) => [
      title,
      description,
      footer.text,
      ...fields.flatMap(({ name, value }) => [name, value]),
    ]);
    if (texts.join('').length > DISCORD_CHARACTERS)
      throw new Error('Embed size exceeds maximum size of 6000');
  },
  pagerduty: json(pagerduty),
  ntfy: ({ headers, body }) => {
    ntfyHeaders.parse(headers);
    if (body === '' || Buffer.byteLength(body) > NTFY_BYTES) throw new Error('not a message');
  },
  text: ({ headers, body }) => {
    if (headers['content-type'] !== 'text/plain; charset=utf-8' || body === '') throw new Error('not a text');
  },
};

/** What each service responds when it accepts a message. */
const ACCEPTED: Record<HttpFormat, [status: number, body: string]> = {
  slack: [200, 'ok'],
  teams: [202, ''],
  discord: [204, ''],
  pagerduty: [202, '{"status":"success","message":"Event processed"}'],
  ntfy: [200, '{"event":"message"}'],
  text: [200, ''],
};

/** The services that alerts can be sent to, on loopback. Each rejects with 400 what the real one would reject. */
export class MessageServices {
  readonly accepted: Record<HttpFormat, Posted[]> = {
    slack: [],
    teams: [],
    discord: [],
    pagerduty: [],
    ntfy: [],
    text: [],
  };
  /** Why requests were rejected. */
  readonly rejected: string[] = [];
  /** Services that respond 503. */
  readonly down = new Set<HttpFormat>();

  private constructor(private readonly server: ReturnType<typeof createServer>) {}

  static async start(): Promise<MessageServices> {
    const server = createServer();
    const services = new MessageServices(server);
    server.on('request', (request, response) => {
      void services.respond(request).then(([status, body]) => response.writeHead(status).end(body));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return services;
  }

  /** The address to enter for a target. */
  urlOf(format: HttpFormat): string {
    const { port } = this.server.address() as AddressInfo;
    const query = format === 'pagerduty' ? `?routing_key=${ROUTING_KEY}` : '';
    return `http://127.0.0.1:${port}${PATHS[format]}${query}`;
  }

  /** The parts of the addresses that nobody may see. */
  static readonly secrets = [
    'slack-webhook-secret',
    'teams-webhook-signature',
    'discord-webhook-secret',
    'alerts-topic-secret',
    ROUTING_KEY,
  ];

  async close(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }

  private async respond(request: IncomingMessage): Promise<[status: number, body: string]> {
    const posted = { headers: request.headers, body: await readText(request) };
    const found = Object.entries(PATHS).find(([, path]) => path === request.url);
    if (found === undefined) return [404, 'no_service'];
    const format = found[0] as HttpFormat;
    if (this.down.has(format)) return [503, ''];
    try {
      RULES[format](posted);
      const isSame = (one: Posted) =>
        one.headers['webhook-id'] === posted.headers['webhook-id'] && one.body === posted.body;
      // On a slow machine an attempt may time out although it arrived.
      if (!this.accepted[format].some(isSame)) this.accepted[format].push(posted);
      return ACCEPTED[format];
    } catch (error) {
      this.rejected.push(`${format}: ${(error as Error).message}`);
      return [400, 'invalid_payload'];
    }
  }
}
