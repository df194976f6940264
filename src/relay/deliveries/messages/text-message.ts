import { formatCount } from '../../ground/format-count';
import { fitText } from './fit-text';
import type { Message } from './message';
import type { MessageContent } from './message-content';

/** Nobody reads more, and a receiver may have a limit of its own. */
const MAX_CHARACTERS = 4_000;

/** A message as plain text in UTF-8, for receivers without a format of their own. */
export const textMessage = (content: MessageContent): Message => ({
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body: `${content.title}\n${fitText(describeContent(content), MAX_CHARACTERS)}\n`,
});

/** The message below its title, one paragraph for each part. */
export const describeContent = (content: MessageContent): string =>
  [
    content.sentence,
    ...(content.remedy === null ? [] : [`What to do: ${content.remedy}`]),
    `${describeFacts(content)}\n${content.hub.url}`,
  ].join('\n\n');

/** Hub, beginning and count in one line. */
export const describeFacts = ({ hub, count, since }: MessageContent): string =>
  [hub.name, `since ${since}`, ...(count > 1 ? [`${formatCount(count)} times`] : [])].join(' · ');
