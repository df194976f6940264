import type { TargetRecord } from '../../../src/relay/targets/target-record';
import { emailMessage } from '../../../src/relay/deliveries/messages/email-message';
import { fitText } from '../../../src/relay/deliveries/messages/fit-text';
import { formatMessage } from '../../../src/relay/deliveries/messages/format-message';
import { readContent, type MessageContent } from '../../../src/relay/deliveries/messages/message-content';
import { RULES, type HttpFormat } from '../../support/fakes/message-services';

const STATES = ['raised', 'repeated', 'resolved'] as const;
/** Characters that are escaped somewhere, or take more bytes than one. */
const HOSTILE = '<!channel> @everyone & "quoted" \u0000 \r\n 🚨 \ud800 ';

function contentOf(
  state: MessageContent['state'],
  text: string,
  severity: MessageContent['severity'] = 'critical',
): MessageContent {
  const data = {
    state,
    alert_id: 'alr_1',
    severity,
    sentence: text,
    remedy: state === 'resolved' ? null : text,
    count: 10_000,
    since: '2026-11-20T12:00:00.000Z',
  };
  const body = Buffer.from(JSON.stringify({ event: 'relay.delivery.dead', data }));
  return readContent(
    { id: 'evt_1', type: 'relay.delivery.dead', receivedAt: 0, body },
    'https://hub.example',
  );
}

const messageOf = (format: TargetRecord['format'], content: MessageContent) =>
  formatMessage(
    { format, headers: [{ name: 'x-routing-key', value: 'R'.repeat(32), secret: true }] },
    () => content,
  )!;

const posted = (format: HttpFormat, content: MessageContent) => {
  const { headers, body } = messageOf(format, content);
  return { headers, body };
};

describe.each(Object.keys(RULES) as HttpFormat[])('a message for %s', (format) => {
  it.each(STATES)('follows the rules of the service when an alert is %s', (state) => {
    const short = posted(format, contentOf(state, 'Deliveries to shop became dead letters.'));
    expect(() => RULES[format](short)).not.toThrow();
  });

  it.each(STATES)('follows them whatever the length and characters of its texts, when %s', (state) => {
    for (const text of [
      HOSTILE,
      HOSTILE.repeat(2_000),
      '<'.repeat(50_000),
      '🚨'.repeat(50_000),
      '\u0001'.repeat(9_000),
    ])
      expect(() => RULES[format](posted(format, contentOf(state, text)))).not.toThrow();
  });

  it('says what happened and what to do', () => {
    const { headers, body } = posted(format, contentOf('raised', 'The disk is full.'));
    expect(body).toContain('The disk is full.');
    expect(body).toContain('https://hub.example');
    expect(`${String(headers['title'])} ${body}`).toContain('Critical: delivery dead');
  });

  it('says of a remark that it is one', () => {
    const message = posted(format, contentOf('raised', 'A field was added.', 'info'));
    expect(() => RULES[format](message)).not.toThrow();
    expect(`${String(message.headers['title'])} ${message.body}`).toContain('Info: delivery dead');
  });
});

describe('a text that contains markup', () => {
  const MARKUP =
    '[pay](http://evil.example) **now** _or_ ~~not~~ `x` ||y|| <http://evil.example|here> @everyone <@1> # z';
  const jsonOf = (format: HttpFormat): unknown =>
    JSON.parse(posted(format, contentOf('raised', MARKUP)).body);

  /** As in CommonMark, 2.4, every mark is behind a backslash of its own. */
  const expectEscaped = (text: string) => {
    expect(text.replace(/\\[^a-z0-9\s]/gi, '')).not.toMatch(/[\\`*_~|[\]()<>@#]/);
    expect(text.replace(/\\([^a-z0-9\s])/gi, '$1')).toContain(MARKUP);
  };

  it('is shown as it is by Discord', () => {
    const { embeds } = jsonOf('discord') as {
      embeds: { description: string; fields: { value: string }[] }[];
    };
    const { description, fields } = embeds[0]!;
    for (const text of [description, ...fields.map(({ value }) => value)]) expectEscaped(text);
  });

  it('is shown as it is by Teams', () => {
    const { attachments } = jsonOf('teams') as { attachments: { content: { body: { text?: string }[] } }[] };
    const { content } = attachments[0]!;
    for (const { text } of content.body.slice(1)) if (text !== undefined) expectEscaped(text);
  });

  it('is shown as it is by Slack, which has no escape for some marks', () => {
    const { blocks, mrkdwn } = jsonOf('slack') as {
      blocks: { type: string; text: object }[];
      mrkdwn: boolean;
    };
    expect(mrkdwn).toBe(false);
    const sections = blocks.filter(({ type }) => type === 'section').map(({ text }) => text);
    expect(sections).toHaveLength(2);
    for (const text of sections)
      expect(text).toMatchObject({ type: 'plain_text', text: expect.stringContaining('&lt;http://evil') });
  });
});

it.each(['slack', 'teams', 'discord', 'pagerduty', 'ntfy', 'text', 'email'] as const)(
  'a line break or an invisible character cannot change a message for %s',
  (format) => {
    const text = 'shop\r\n\r\nWhat to do: pay \u202etxet\u0007';
    const { headers, body } = messageOf(format, contentOf('raised', text));
    const sent = body.startsWith('{') ? body : `${JSON.stringify(headers)}\n${body}`;
    expect(sent).toContain('shop What to do: pay \ufffdtxet\ufffd');
    expect(sent).not.toMatch(/^What to do: pay/m);
  },
);

it('the ids of an e-mail stay in their header field, whatever the id of an alert', () => {
  const content = { ...contentOf('raised', ''), alertId: 'a>\r\nBcc: victim@example.com' };
  expect(emailMessage(content).headers['references']).toBe('<a---Bcc--victim-example.com@hub.example>');
});

it('all messages about one alert have the same PagerDuty key; its end resolves the incident', () => {
  const events = STATES.map(
    (state) =>
      JSON.parse(posted('pagerduty', contentOf(state, 'text')).body) as {
        event_action: string;
        dedup_key: string;
      },
  );
  expect(events.map(({ event_action }) => event_action)).toEqual(['trigger', 'trigger', 'resolve']);
  expect(new Set(events.map(({ dedup_key }) => dedup_key)).size).toBe(1);
});

it('an e-mail has a short subject in one line, and refers to its alert', () => {
  const { headers, body } = emailMessage(contentOf('raised', HOSTILE.repeat(2_000)));
  expect(headers['subject']!.length).toBeLessThanOrEqual(150);
  expect(headers['subject']).not.toMatch(/[\r\n]/);
  expect(headers).toMatchObject({ 'message-id': '<evt_1@hub.example>', references: '<alr_1@hub.example>' });
  expect(body.length).toBeLessThanOrEqual(10_000);
});

it('an event that is not about an alert is reported by its type, even if its body is unreadable', () => {
  const body = Buffer.from('not JSON');
  const content = readContent(
    { id: 'evt_2', type: 'deal.created', receivedAt: 0, body },
    'https://hub.example',
  );
  expect(content).toMatchObject({
    state: 'raised',
    title: 'Warning: deal created',
    sentence: 'Event evt_2 of type deal.created.',
    alertId: 'evt_2',
  });
});

it('a target with the format json has no message', () => {
  expect(formatMessage({ format: 'json', headers: [] }, () => contentOf('raised', ''))).toBeNull();
});

it('a text that is too long is cut between characters and marked', () => {
  expect(fitText('abcdef', 6)).toBe('abcdef');
  expect(fitText('abcdefg', 6)).toBe('abcde…');
  expect(fitText('🚨🚨🚨', 5)).toBe('🚨🚨…');
  expect(fitText('ééé', 5, { sizeOf: (text) => Buffer.byteLength(text) })).toBe('é…');
});
