import type { ConfigurationError } from '../ground/relay-error';
import { isUnencrypted } from './loopback';
import type { SettingName } from './setting-table';

/** The text of each setting, if it is set. */
export type Texts = Partial<Record<SettingName, string | undefined>>;

/** Settings that are valid on their own, but not together. */
export function findConflicts(texts: Texts): ConfigurationError[] {
  return [...findUnencrypted(texts), ...findUserConflicts(texts)];
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
  if (isSet(user) && !isSet('SWITCHBOARD_TRUSTED_PROXIES'))
    errors.push({
      where: user,
      what: `${user} is set, but SWITCHBOARD_TRUSTED_PROXIES is not: anyone could send this header.`,
      remedy: 'Set SWITCHBOARD_TRUSTED_PROXIES to the address of the proxy, such as 10.0.0.5/32.',
    });
  return errors;
}
