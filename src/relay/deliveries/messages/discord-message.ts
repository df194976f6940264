import { escapeMarkdown, fitText } from './fit-text';
import { jsonMessage, type Message } from './message';
import type { MessageContent } from './message-content';
import { describeFacts } from './text-message';

/**
 * Discord, "Embed Limits" (discord.com/developers/docs/resources/message#embed-object-embed-limits): title 256,
 * description 4,096, field 1,024, footer 2,048, all together 6,000. These add up to less.
 */
const MAX = { title: 256, description: 4_000, field: 1_024, footer: 500 };

const COLORS = { resolved: 0x2f9e44, critical: 0xe03131, warning: 0xf08c00, info: 0x1c7ed6 };

/** A message for a webhook of Discord (discord.com/developers/docs/resources/webhook#execute-webhook), as an embed. */
export function discordMessage(content: MessageContent): Message {
  const { state, severity, title, sentence, remedy, hub } = content;
  return jsonMessage({
    embeds: [
      {
        title: shown(title, MAX.title),
        url: hub.url,
        description: shown(sentence, MAX.description),
        color: COLORS[state === 'resolved' ? state : severity],
        ...(remedy !== null && { fields: [{ name: 'What to do', value: shown(remedy, MAX.field) }] }),
        footer: { text: fitText(describeFacts(content), MAX.footer) },
      },
    ],
    // Otherwise `@everyone` in a text would notify everyone.
    allowed_mentions: { parse: [] },
  });
}

const shown = (text: string, limit: number) => fitText(text, limit, { encode: escapeMarkdown });
