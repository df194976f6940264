import type { Scope } from '@contract/token';

/** What each scope permits; shown when a token is created and on its badges. */
export const SCOPE_LABELS: Record<Scope, string> = {
  read: 'Read events, deliveries, targets and the connection, including live updates.',
  reveal: 'With read: also the values of payloads that SWITCHBOARD_MASK masks.',
  operate:
    'Everything in read and reveal, plus actions on events, duplicates, deliveries, replays, rejections, outages, targets and the subscription.',
  listen: 'Open the live connection, nothing else.',
  receive: 'Receive events with their payloads by consumers and listeners of its own, nothing else.',
  backup: 'Make backups into new files on the machine of the daemon, nothing else.',
  admin:
    'Everything, including settings, tokens, sessions, login links, the audit log, and connecting and disconnecting.',
};
