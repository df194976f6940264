import type { Target } from '@contract/target';

interface FormatLabel {
  label: string;
  /** What the address is, and where to find it. */
  address: string;
  placeholder: string;
}

/** The formats of targets. */
export const FORMAT_LABELS: Readonly<Record<Target['format'], FormatLabel>> = {
  json: {
    label: 'Webhook (events as JSON)',
    address: 'Events are sent here by POST. Redirects are not followed.',
    placeholder: 'http://localhost:3000/hook',
  },
  slack: {
    label: 'Slack',
    address: 'The URL of an incoming webhook: in Slack, create an app and enable incoming webhooks.',
    placeholder: 'https://hooks.slack.com/services/…',
  },
  teams: {
    label: 'Microsoft Teams',
    address:
      'In Teams, add the workflow “Post to a channel when a webhook request is received”; it shows a URL.',
    placeholder: 'https://….api.powerplatform.com/…',
  },
  discord: {
    label: 'Discord',
    address: 'In Discord, open the settings of a channel, Integrations, Webhooks, and copy the webhook URL.',
    placeholder: 'https://discord.com/api/webhooks/…',
  },
  pagerduty: {
    label: 'PagerDuty',
    address: 'With the integration key of Events API v2. The key is stored encrypted and is not shown again.',
    placeholder: 'https://events.pagerduty.com/v2/enqueue?routing_key=…',
  },
  ntfy: {
    label: 'ntfy',
    address: 'The URL of a topic. For a protected topic, add the header authorization below.',
    placeholder: 'https://ntfy.sh/your-topic',
  },
  text: {
    label: 'Plain text',
    address: 'Messages are sent here by POST, as plain text.',
    placeholder: 'https://example.com/alerts',
  },
  email: {
    label: 'E-mail',
    address:
      'The mail server, sender and recipients. User name and password are stored encrypted and are not shown again.',
    placeholder: 'smtps://user:password@mail.example.com?from=hub@example.com&to=you@example.com',
  },
};
