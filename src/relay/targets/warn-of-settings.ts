import { retrySpanS } from './retry-pause';
import type { TargetSettings } from './target-record';

/** What the operator should know about settings that are possible and not what most people want, a sentence each. */
export function warnOfSettings({ url, enabled, policy, tls, headers }: TargetSettings): string[] {
  const encrypted = url.startsWith('https:');
  const warnings: string[] = [];
  if (!enabled)
    warnings.push(
      'It is not enabled: new events pass it by and are not sent later. To keep them, pause it instead.',
    );
  if (retrySpanS(policy) > policy.max_age_s)
    warnings.push(
      'Its pauses add up to more than max_age_s: what fails is given up before its last try. Give it a longer max_age_s, or shorter pauses.',
    );
  if (policy.ordering === 'strict')
    warnings.push(
      'Its order is strict: each event waits until the one before it was answered and that is on disk, so it takes some hundred events a second at most, and what comes faster piles up. Where the order within each deal, contact or task is enough, choose entity.',
    );
  if (tls !== null && !tls.verify)
    warnings.push(
      'Its certificate is not verified: whoever can get between receives every event and can answer in its name. Give its certificate authority as tls.ca instead.',
    );
  if (tls !== null && !encrypted)
    warnings.push('Its address is http: certificates are not used, and everything is sent in the clear.');
  if (!encrypted && headers.some(({ secret }) => secret))
    warnings.push('Its address is http: its secret headers are sent in the clear.');
  return warnings;
}
