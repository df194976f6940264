import type { TargetRecord } from '../../targets/target-record';
import { ROUTING_KEY_HEADER } from '../../targets/sealed-parameters';
import { discordMessage } from './discord-message';
import { emailMessage } from './email-message';
import type { Message } from './message';
import type { MessageContent } from './message-content';
import { ntfyMessage } from './ntfy-message';
import { pagerdutyMessage } from './pagerduty-message';
import { slackMessage } from './slack-message';
import { teamsMessage } from './teams-message';
import { textMessage } from './text-message';

type FormattedTarget = Pick<TargetRecord, 'format' | 'headers'>;

const FORMATS: Record<
  Exclude<TargetRecord['format'], 'json'>,
  (content: MessageContent, routingKey: string) => Message
> = {
  slack: slackMessage,
  teams: teamsMessage,
  discord: discordMessage,
  pagerduty: pagerdutyMessage,
  ntfy: ntfyMessage,
  text: textMessage,
  email: emailMessage,
};

/**
 * The message in the format of a target; null if the target receives events as they are stored.
 * @param readContent called only if there is a message
 */
export function formatMessage(
  { format, headers }: FormattedTarget,
  readContent: () => MessageContent,
): Message | null {
  if (format === 'json') return null;
  const routingKey = headers.find(({ name }) => name === ROUTING_KEY_HEADER)?.value ?? '';
  return FORMATS[format](readContent(), routingKey);
}
