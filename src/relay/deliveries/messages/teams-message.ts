import { escapeMarkdown, fitText } from './fit-text';
import { jsonMessage, type Message } from './message';
import type { MessageContent } from './message-content';

/**
 * Microsoft Teams, "Create an Incoming Webhook": a message may have 28 KB. In JSON a character takes at most six
 * bytes, so two texts of this length leave room for the rest.
 */
const MAX_TEXT = 2_000;

/** The newest version that Teams renders ("Cards" in the reference of Teams). */
const CARD_VERSION = '1.5';

/**
 * An adaptive card (adaptivecards.io/explorer) in the envelope that the trigger "When a Teams webhook request is
 * received" of Power Automate expects.
 */
export function teamsMessage(content: MessageContent): Message {
  const { title, sentence, remedy, hub, since, count } = content;
  const facts = [
    { title: 'Hub', value: hub.name },
    { title: 'Since', value: since },
    ...(count > 1 ? [{ title: 'Count', value: String(count) }] : []),
  ];
  const card = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: CARD_VERSION,
    body: [
      text(title, { size: 'large', weight: 'bolder', color: colorOf(content) }),
      text(sentence),
      ...(remedy === null ? [] : [text(`What to do: ${remedy}`)]),
      { type: 'FactSet', facts },
    ],
    actions: [{ type: 'Action.OpenUrl', title: 'Open dashboard', url: hub.url }],
  };
  return jsonMessage({
    type: 'message',
    attachments: [
      { contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content: card },
    ],
  });
}

const text = (body: string, style: object = {}) => ({
  type: 'TextBlock',
  text: fitText(body, MAX_TEXT, { encode: escapeMarkdown }),
  wrap: true,
  ...style,
});

const COLORS = { resolved: 'good', info: 'accent', warning: 'warning', critical: 'attention' };

const colorOf = ({ state, severity }: MessageContent) => COLORS[state === 'resolved' ? state : severity];
