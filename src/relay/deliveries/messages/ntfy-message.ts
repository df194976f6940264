import { fitText } from './fit-text';
import type { Message } from './message';
import type { MessageContent } from './message-content';
import { describeContent } from './text-message';

/** ntfy, "Limitations" (docs.ntfy.sh/publish/#limitations): a longer message becomes an attachment. */
const MAX_BYTES = 4_096;
const MAX_TITLE = 200;

/** ntfy, "Message priority": 3 is the default, 5 the highest. */
const PRIORITY = { resolved: '3', info: '3', warning: '4', critical: '5' };

/** ntfy, "Tags & emojis": these are shown as emojis. */
const TAGS = {
  resolved: 'white_check_mark',
  info: 'information_source',
  warning: 'warning',
  critical: 'rotating_light',
};

/** A message for a topic of ntfy (docs.ntfy.sh/publish): its text is the body, everything else is in headers. */
export function ntfyMessage(content: MessageContent): Message {
  const { state, severity, title, hub } = content;
  const kind = state === 'resolved' ? state : severity;
  return {
    headers: {
      'content-type': 'text/plain; charset=utf-8',
      title: headerText(fitText(title, MAX_TITLE)),
      priority: PRIORITY[kind],
      tags: TAGS[kind],
      click: hub.url,
    },
    body: fitText(describeContent(content), MAX_BYTES, { sizeOf: (text) => Buffer.byteLength(text) }),
  };
}

/** ntfy decodes RFC 2047, 2. */
const headerText = (text: string) =>
  /^[\x20-\x7e]*$/.test(text) ? text : `=?UTF-8?B?${Buffer.from(text).toString('base64')}?=`;
