import { type Command, Option } from 'commander';
import { collect, parseTime } from './parse';

/** Which events; the names are those of the API. */
export interface EventFilterFlags {
  type?: string[];
  entity?: string;
  origin?: (typeof ORIGINS)[number];
  since?: string;
  until?: string;
  q?: string;
  payload?: string;
}

/** What a flag with a time may hold. */
export const TIME = '90s, 15m, 24h, 7d, today, or an ISO time';

const ORIGINS = ['copilot', 'switchboard', 'synthetic', 'not_switchboard'] as const;

export const EXPORT_FORMATS = ['ndjson', 'csv', 'json'];

export const withEventFilters = (command: Command): Command =>
  withConditions(command).addOption(new Option('--origin <origin>', 'where they come from').choices(ORIGINS));

/** The same without `--origin`. */
export const withConditions = (command: Command): Command =>
  command
    .option('--type <pattern>', 'event type, such as deal.created or deal.*; repeatable', collect)
    .option('--entity <kind:id>', 'what the events are about, such as deal:42')
    .option('--since <time>', `received at or after: ${TIME}`, parseTime)
    .option('--until <time>', 'received before', parseTime)
    .option('--q <text>', 'text in the payload, ignoring case')
    .option('--payload <json>', 'conditions on the payload as JSON, or @ and a file with them');
