import { SYSTEM_EVENT_PREFIX } from '../../contract/constants';
import type { FieldError } from '../ground/relay-error';
import { isForAlerts } from './match-event';
import { ROUTING_KEY_HEADER } from './sealed-parameters';
import type { TargetSettings } from './target-record';

const MAIL_ADDRESS = /^[^\s@<>,]+@[^\s@<>,]+$/;
const MAIL_PARAMETERS = ['from', 'to'];

/**
 * Checks that the settings of a target fit its format.
 * @param errors receives an error for each field that does not
 */
export function checkFormat(
  { format, url, events, headers }: Pick<TargetSettings, 'format' | 'url' | 'events' | 'headers'>,
  errors: FieldError[],
): void {
  const isMail = url !== null && /^smtps?:/.test(url);
  if (isMail && format !== 'email')
    errors.push({ path: 'url', message: 'an smtp address needs the format email' });
  if (format === 'json') return;
  if (!isForAlerts(events))
    errors.push({
      path: 'events',
      message: `the format ${format} is for alerts: only patterns that begin with ${SYSTEM_EVENT_PREFIX} are possible, such as relay.*`,
    });
  if (format === 'pagerduty' && !headers.some(({ name }) => name === ROUTING_KEY_HEADER))
    errors.push({
      path: 'url',
      message:
        'the integration key is missing: add it as ?routing_key=…, from where it is moved to a secret header',
    });
  if (format !== 'email') return;
  if (isMail) checkMailUrl(new URL(url), errors);
  else
    errors.push({
      path: 'url',
      message: 'the format email needs an address such as smtps://user:password@host:465?from=…&to=…',
    });
  headers.forEach(({ name }, i) => {
    if (name !== 'authorization')
      errors.push({ path: `headers.${i}.name`, message: `${name} cannot be sent with an e-mail` });
  });
}

function checkMailUrl({ hostname, pathname, searchParams }: URL, errors: FieldError[]): void {
  const fail = (message: string) => errors.push({ path: 'url', message });
  const mailAddresses = (name: string) => searchParams.getAll(name).flatMap((list) => list.split(','));
  if (hostname === '') fail('the host of the mail server is missing');
  if (pathname !== '' && pathname !== '/') fail('the address of a mail server has no path');
  for (const name of new Set(searchParams.keys()))
    if (!MAIL_PARAMETERS.includes(name)) fail(`the parameter ${name} is unknown: there are from and to`);
  const [from, to] = [mailAddresses('from'), mailAddresses('to')];
  if (from.length !== 1 || !MAIL_ADDRESS.test(from[0]!)) fail('from must be one e-mail address');
  if (to.length === 0 || !to.every((address) => MAIL_ADDRESS.test(address)))
    fail('to must be one or more e-mail addresses, separated by commas');
}
