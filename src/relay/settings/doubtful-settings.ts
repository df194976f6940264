import { SCOPES } from '../../protocol/scopes';
import { distance } from '../ground/distance';
import type { ConfigurationError } from '../ground/relay-error';
import { KNOWN_NAMES } from './setting-table';

const OURS = /^(SWITCHBOARD|COPILOT)_/;

/** The command line reads these, from the environment only. */
const OF_THE_COMMAND_LINE = [
  'SWITCHBOARD_HUB',
  'SWITCHBOARD_PROFILE',
  'SWITCHBOARD_TOKEN',
  'SWITCHBOARD_TOKEN_FILE',
];

/** What differs from a setting by this much is that setting with typing errors; shorter ones resemble many names. */
const MAX_TYPING_ERRORS = 2;
const MIN_LENGTH = 8;

/** A different prefix counts as much as this many other letters. */
const PREFIX_DISTANCE = 3;

/** Kubernetes and Docker set such names for a service or container with our name, with addresses as values. */
const OF_A_SERVICE = /_SERVICE_(HOST|PORT(_\w+)?)$|_PORT_\d+_(TCP|UDP)(_\w+)?$/;

/**
 * Names and values that are accepted, but probably not meant so. Only scopes are quoted: other values may be secrets.
 */
export function findDoubtfulSettings(
  environment: Readonly<Record<string, string | undefined>>,
): ConfigurationError[] {
  const given = Object.entries(environment).filter(([, value = '']) => value.trim() !== '') as [
    string,
    string,
  ][];
  const scopes = (environment['COPILOT_SCOPES'] ?? '').split(',').map((scope) => scope.trim());
  return [
    ...given.flatMap(([name, value]) => describeUnknown(name, value) ?? []),
    ...given
      .filter(([name, value]) => KNOWN_NAMES.includes(name) && /^(["'`]).*\1$|^[“”‘’]/.test(value.trim()))
      .map(([name]) => ({
        where: name,
        what: `The value of ${name} is in quotes, which are taken as a part of it.`,
        remedy: 'Remove the quotes.',
      })),
    ...scopes
      .filter((scope) => scope !== '' && !(SCOPES as readonly string[]).includes(scope))
      .map((scope) => ({
        where: 'COPILOT_SCOPES',
        what: `COPILOT_SCOPES contains "${scope}", which is not a scope of Co-Pilot.`,
        remedy: `Choose from ${SCOPES.join(', ')}.`,
      })),
  ];
}

function describeUnknown(name: string, value: string): ConfigurationError | undefined {
  const isProxy = /^\w+_proxy$/i.test(name) && !OURS.test(name);
  const isOfService = OF_A_SERVICE.test(name) || /^(tcp|udp):\/\//.test(value);
  if ([...KNOWN_NAMES, ...OF_THE_COMMAND_LINE].includes(name) || isProxy || isOfService) return undefined;
  // Without what a byte order mark or white space has added to it.
  const plain = name.toUpperCase().replaceAll(/\W/g, '');
  // Comparing every variable with every setting would take a thirtieth of a start.
  const isComparable = ({ length }: string) => Math.abs(length - plain.length) <= MAX_TYPING_ERRORS;
  const compared = OURS.test(plain) ? KNOWN_NAMES : KNOWN_NAMES.filter(isComparable);
  if (compared.length === 0) return undefined;
  const [nearest, shortest] = compared
    .map((known) => [known, distanceOfNames(plain, known)] as const)
    .reduce((best, other) => (other[1] < best[1] ? other : best));
  const isTypingError = shortest <= MAX_TYPING_ERRORS && nearest.length >= MIN_LENGTH;
  if (!OURS.test(plain) && !isTypingError) return undefined;
  return {
    where: name,
    what: `${name} is not a setting, and is ignored. The nearest setting is ${nearest}.`,
    remedy: 'Correct the name, or remove it; docs/settings.md lists the settings.',
  };
}

const distanceOfNames = (name: string, known: string): number =>
  Math.min(
    distance(name, known),
    PREFIX_DISTANCE + distance(name.replace(OURS, ''), known.replace(OURS, '')),
  );
