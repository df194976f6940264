import type { TargetSettings } from './target-record';

/** What the operator should know about settings that are possible and not what most people want, a sentence each. */
export function warnOfSettings({ url, enabled, tls, headers }: TargetSettings): string[] {
  const encrypted = url.startsWith('https:');
  const warnings: string[] = [];
  if (!enabled)
    warnings.push(
      'It is not enabled: new events pass it by and are not sent later. To keep them, pause it instead.',
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
