/** What to do with this program, by the code of a problem or the path of an invalid field: hubs name routes of the API. */
export const REMEDIES: Readonly<Record<string, string>> = {
  consumer_leased: 'Wait until then, or end that lease with --take-over.',
  consumer_unknown: '"switchboard consumers list" shows those that this token may use.',
  event_unknown: 'Retention may have removed it; "switchboard events list" shows what is stored.',
  new_secret: 'Have a new one made with --new-secret, which shows it once.',
  replay_ended: 'Start a new one with "switchboard replay".',
  replay_unknown: '"switchboard replay list" shows the replays.',
  target_unknown: '"switchboard targets list" shows the targets.',
  token_unknown: 'It may have been revoked; "switchboard token list" shows the others.',
};
