import { fitText } from './fit-text';
import type { Message } from './message';
import type { MessageContent } from './message-content';
import { describeContent } from './text-message';

/** RFC 5322, 2.1.1 allows 998 characters in a line, and clients show fewer. */
const MAX_SUBJECT = 150;
const MAX_CHARACTERS = 10_000;

/**
 * An e-mail in plain text. Its id is that of the event, so that a repeated attempt is not shown twice, and it refers
 * to the alert, so that clients show all e-mails about one alert together (RFC 5322, 3.6.4).
 */
export function emailMessage(content: MessageContent): Message {
  const { title, sentence, alertId, eventId, hub } = content;
  const id = (of: string) => `<${[of, hub.name].map((part) => part.replace(/[^\w.-]/g, '-')).join('@')}>`;
  return {
    headers: {
      subject: fitText(`${title}: ${sentence}`, MAX_SUBJECT),
      'message-id': id(eventId),
      references: id(alertId),
      // RFC 3834, 5: it is not answered automatically.
      'auto-submitted': 'auto-generated',
    },
    body: fitText(describeContent(content), MAX_CHARACTERS),
  };
}
