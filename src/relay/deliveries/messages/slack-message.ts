import { fitText } from './fit-text';
import { jsonMessage, type Message } from './message';
import type { MessageContent } from './message-content';
import { describeFacts } from './text-message';

/** Slack, "Header block" (docs.slack.dev/reference/block-kit/blocks/header-block). */
const MAX_HEADER = 150;
/** Slack, "Section block" (docs.slack.dev/reference/block-kit/blocks/section-block): 3,000. */
const MAX_SECTION = 3_000;
/** Slack, "chat.postMessage", Truncating content: the text should have at most 4,000 characters. */
const MAX_TEXT = 4_000;

/**
 * A message for an incoming webhook of Slack (docs.slack.dev/messaging/sending-messages-using-incoming-webhooks), as
 * blocks; at most 50 are allowed. `text` is shown in notifications.
 */
export function slackMessage(content: MessageContent): Message {
  const { title, sentence, remedy, hub } = content;
  return jsonMessage({
    text: escaped(`${title}. ${sentence}`, MAX_TEXT),
    mrkdwn: false,
    blocks: [
      {
        type: 'header',
        text: { type: 'plain_text', text: fitText(`${iconOf(content)} ${title}`, MAX_HEADER) },
      },
      section(escaped(sentence, MAX_SECTION)),
      ...(remedy === null ? [] : [section(escaped(`What to do: ${remedy}`, MAX_SECTION))]),
      {
        type: 'context',
        elements: [
          { type: 'mrkdwn', text: `${escaped(describeFacts(content), MAX_SECTION)} · <${hub.url}>` },
        ],
      },
    ],
  });
}

/** Slack has no escape for `*`, `_`, `~` and backticks. */
const section = (text: string) => ({ type: 'section', text: { type: 'plain_text', text, emoji: false } });

const ICONS = { resolved: '🟢', info: '🔵', warning: '🟡', critical: '🔴' };

const iconOf = ({ state, severity }: MessageContent) => ICONS[state === 'resolved' ? state : severity];

/**
 * Slack, "Formatting message text" (docs.slack.dev/messaging/formatting-message-text): without this, `<!channel>` in
 * a text would notify everyone.
 */
const escaped = (text: string, limit: number) =>
  fitText(text, limit, {
    encode: (plain) => plain.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
  });
