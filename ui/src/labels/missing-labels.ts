/** What to do about a resource that does not exist, and where to look instead; by the code of the problem. */
export const MISSING_LABELS: Readonly<
  Record<string, { remedy: string; to?: '/events' | '/targets' | '/replays'; label?: string }>
> = {
  event_unknown: { remedy: 'Retention may have removed it.', to: '/events', label: 'View events' },
  delivery_unknown: { remedy: 'Retention may have removed it.', to: '/events', label: 'View events' },
  duplicate_unknown: { remedy: 'Retention may have removed it.', to: '/events', label: 'View events' },
  target_unknown: { remedy: 'It may have been deleted.', to: '/targets', label: 'View targets' },
  replay_unknown: { remedy: 'Check the address.', to: '/replays', label: 'View replays' },
  job_unknown: { remedy: 'Reload the page.' },
  outage_unknown: { remedy: 'Reload the page.' },
  rejection_unknown: { remedy: 'It may have been accepted or dropped since. Reload the page.' },
  saved_view_unknown: { remedy: 'It may have been deleted. Reload the page.' },
  session_unknown: { remedy: 'It may have ended. Reload the page.' },
  type_unknown: { remedy: 'Reload the page.' },
  token_unknown: { remedy: 'It may have been revoked. Reload the page.' },
};
