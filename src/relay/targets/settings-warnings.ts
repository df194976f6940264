import { eventMatcher } from './match-event';
import { totalRetryDelayS } from './retry-delay';
import type { TargetRecord, TargetSettings } from './target-record';

type Settings = TargetSettings & Pick<TargetRecord, 'disabled' | 'id'>;

/** Whether a pattern of one accepts one of the other. */
const sharesTypes = ({ events: one }: TargetSettings, { events: other }: TargetSettings): boolean =>
  one.some((type) => eventMatcher(other)({ type })) || other.some((type) => eventMatcher(one)({ type }));

/** Warnings about settings that are valid but rarely intended, as sentences. @param targets all of them */
export function settingsWarnings(settings: Settings, targets: readonly TargetRecord[]): string[] {
  const { id, url, format, enabled, disabled, policy, tls, headers } = settings;
  const isHttp = url?.startsWith('http:') === true;
  const warnings: string[] = [];
  // Not if Switchboard disabled it: its receiver is gone, and pausing would not help.
  if (!enabled && disabled === null)
    warnings.push(
      'The target is disabled. Events that arrive while it is disabled are never sent; deliveries created before are. To queue events for it, pause it instead.',
    );
  if (totalRetryDelayS(policy) > policy.max_age_s)
    warnings.push(
      'The retry delays add up to more than max_age_s, so deliveries expire before their last attempt. Increase max_age_s, or shorten the delays.',
    );
  if (format !== 'json' && policy.ordering !== 'strict')
    warnings.push(
      'The ordering is not strict: a message that is retried may arrive after the one that says that its alert is resolved.',
    );
  if (format === 'json' && policy.ordering === 'strict')
    warnings.push(
      'The ordering is strict: each event is sent after the previous one was delivered and stored, which limits the target to a few hundred events per second; the rest is queued. If order within each deal, contact or task is enough, choose entity.',
    );
  if (tls !== null && !tls.verify)
    warnings.push(
      'The certificate is not verified: an attacker in the network can read every event and impersonate the target. Set its certificate authority as tls.ca instead.',
    );
  if (tls !== null && isHttp)
    warnings.push('The URL is http: certificates are not used, and events are sent unencrypted.');
  if (isHttp && headers.some(({ secret }) => secret))
    warnings.push('The URL is http: secret headers are sent unencrypted.');
  const twins = targets.filter(
    (other) =>
      other.id !== id &&
      url !== null &&
      other.url === url &&
      other.enabled &&
      enabled &&
      sharesTypes(other, settings),
  );
  const [twin] = twins;
  if (twins.length === 1)
    warnings.push(
      `The target ${twin!.name} has the same address: events that match both arrive there twice, with the same id.`,
    );
  else if (twin !== undefined)
    warnings.push(
      `${twins.length} other targets have the same address, such as ${twin.name}: an event arrives there once for each that it matches, with the same id.`,
    );
  return warnings;
}
