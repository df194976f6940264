import type { ConfigurationError } from '../ground/relay-error';
import { isUnencrypted } from './loopback';
import type { SettingName } from './setting-table';

/** The text of each setting, if it is set. */
export type Texts = Partial<Record<SettingName, string | undefined>>;

/** Settings that are valid on their own, but not together. */
export function findConflicts(texts: Texts): ConfigurationError[] {
  return [
    ...findUnencrypted(texts),
    ...findUserConflicts(texts),
    ...findPostgresConflicts(texts),
    ...findSecretsOfNothing(texts),
  ];
}

function findUnencrypted(texts: Texts): ConfigurationError[] {
  if (texts.SWITCHBOARD_ALLOW_HTTP === 'true') return [];
  return (['COPILOT_BASE_URL', 'PUBLIC_URL'] as const)
    .filter((name) => isUnencrypted(texts[name] ?? ''))
    .map((name) => ({
      where: name,
      what: `${name} is ${texts[name]}: tokens and secrets would be sent unencrypted.`,
      remedy:
        'Use https. http is accepted for loopback, and in a private network with SWITCHBOARD_ALLOW_HTTP=true.',
    }));
}

const namesIn = (text = '') => text.split(',').flatMap((pair) => pair.split('=')[0]!.trim() || []);

function findSecretsOfNothing(texts: Texts): ConfigurationError[] {
  const targets = namesIn(texts.SWITCHBOARD_TARGETS);
  return namesIn(texts.SWITCHBOARD_TARGET_SECRETS)
    .filter((name) => !targets.includes(name))
    .map(() => ({
      where: 'SWITCHBOARD_TARGET_SECRETS',
      what: 'SWITCHBOARD_TARGET_SECRETS has a secret for a target that SWITCHBOARD_TARGETS does not name.',
      remedy: 'Use the same names in both.',
    }));
}

/** Daemons that share a database share its key, and the token that opens all of them. */
function findPostgresConflicts(texts: Texts): ConfigurationError[] {
  if (!texts.DATABASE_URL?.startsWith('postgres')) return [];
  const missing = (['SWITCHBOARD_SECRET_KEY', 'SWITCHBOARD_ADMIN_TOKEN'] as const)
    // Some commands read only a few settings.
    .filter((name) => name in texts && texts[name] === undefined)
    .map((name) => ({
      where: name,
      what: `${name} is missing: every daemon on a database in PostgreSQL needs the same one, so none is generated.`,
      remedy: `Set it to the output of: openssl rand ${name === 'SWITCHBOARD_SECRET_KEY' ? '-base64' : '-hex'} 32`,
    }));
  if (texts.SWITCHBOARD_BACKUP_DIR === undefined) return missing;
  return [
    ...missing,
    {
      where: 'SWITCHBOARD_BACKUP_DIR',
      what: 'Switchboard makes no backups of a database in PostgreSQL.',
      remedy: "Remove the setting, and use the server's own backups, such as pg_dump.",
    },
  ];
}

function findUserConflicts(texts: Texts): ConfigurationError[] {
  const [user, role] = ['SWITCHBOARD_AUTH_USER_HEADER', 'SWITCHBOARD_AUTH_ROLE_HEADER'] as const;
  const errors: ConfigurationError[] = [];
  const isSet = (name: SettingName) => texts[name] !== undefined;
  if (isSet(user) !== isSet(role)) {
    const [set, missing] = isSet(user) ? [user, role] : [role, user];
    errors.push({
      where: missing,
      what: `${missing} is missing, while ${set} is set.`,
      remedy: 'Set both, or neither.',
    });
  }
  if (isSet(user) && texts[user]?.toLowerCase() === texts[role]?.toLowerCase())
    errors.push({
      where: role,
      what: `${role} names the same header as ${user}.`,
      remedy: 'Set two headers.',
    });
  for (const other of ['SWITCHBOARD_AUTH_SECRET_HEADER', 'SWITCHBOARD_AUTH_ROLES'] as const)
    if (isSet(other) && !isSet(user))
      errors.push({
        where: user,
        what: `${user} is missing, while ${other} is set.`,
        remedy: 'Set it, or remove the other one.',
      });
  if (isSet(user) && !isSet('SWITCHBOARD_TRUSTED_PROXIES'))
    errors.push({
      where: user,
      what: `${user} is set, but SWITCHBOARD_TRUSTED_PROXIES is not: anyone could send this header.`,
      remedy: 'Set SWITCHBOARD_TRUSTED_PROXIES to the address of the proxy, such as 10.0.0.5/32.',
    });
  return errors;
}
