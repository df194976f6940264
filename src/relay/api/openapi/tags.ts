/** The tags of operations: what each is about, and the first names of its paths. */
const TAGS: Record<string, [description: string, ...paths: string[]]> = {
  Events: [
    'Stored notifications and system events: find, read, export, send again.',
    'events',
    'duplicates',
    'saved-views',
    'types',
    'erasures',
  ],
  Entities: ['What the hub knows of deals, contacts and companies, now and earlier.', 'entities'],
  Rejections: ['Notifications whose signature did not match.', 'rejections'],
  Consumers: ['Positions that the hub keeps, from which programs read events.', 'consumers'],
  Targets: [
    'Where events go: addresses and listeners, their filters, policies and secrets.',
    'targets',
    'manifests',
    'schemas',
  ],
  Deliveries: ['Events sent to targets, their attempts, and dead letters.', 'deliveries', 'dead-letters'],
  Replays: ['Stored events sent to targets again, many at a time.', 'replays'],
  Connection: ['The grant at Co-Pilot.', 'connection', 'oauth'],
  Subscription: [
    'The webhook at Co-Pilot, and outages in which events may be missing.',
    'subscription',
    'outages',
    'repairs',
  ],
  Health: ['What needs attention.', 'health', 'alerts', 'snoozes', 'ledger', 'healthz', 'readyz'],
  Statistics: ['Counts over time.', 'stats', 'metrics'],
  Access: [
    'Who may use the hub: sessions, login links, API tokens.',
    'session',
    'sessions',
    'login-links',
    'tokens',
  ],
  Audit: ['Who changed what.', 'audit'],
  Operation: ['The hub itself: settings, daemons, backups.', 'settings', 'daemons', 'backups'],
  Sandbox: ['The emulation of Co-Pilot in the demo.', 'sandbox'],
};

export const tagDescriptions = Object.entries(TAGS).map(([name, [description]]) => ({ name, description }));

/** The tag of a path. */
export function tagOf(path: string): string {
  const first = path.replace('/api/v1', '').split('/')[1]!;
  const found = Object.entries(TAGS).find(([, [, ...paths]]) => paths.includes(first));
  if (found === undefined) throw new Error(`No tag has the paths below ${first}: add it to tags.ts.`);
  return found[0];
}
