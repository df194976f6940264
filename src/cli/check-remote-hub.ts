import { readFileSync } from 'node:fs';
import { request as requestPlain } from 'node:http';
import { request as requestTls } from 'node:https';
import { connect, rootCertificates, type PeerCertificate } from 'node:tls';
import { VERSION_HEADER } from '../contract/constants';
import type { Session } from '../contract/session';
import { checkDaemon } from './check-daemon';
import { fail, pass, unknown, type CheckResult } from './check-result';
import { CommandFailed } from './command-failed';
import { fetcherFor } from './remote/fetcher';
import type { Hub } from './remote/hub';
import type { HubClient } from './remote/hub-client';
import { duration } from './remote/words';

const TIMEOUT_MS = 10_000;
const DAY_S = 86_400;
const SOON_DAYS = 14;
/** The header `date` has whole seconds, and the answer takes a while. */
const CLOCK_TOLERANCE_S = 5;

const LOCAL_CHECKS = ['settings', 'DATA_DIR', 'lock', 'disk', 'database'];

/** What only shows from another machine, then what the hub itself knows. */
export async function* checkRemoteHub(client: HubClient): AsyncGenerator<CheckResult> {
  for (const name of LOCAL_CHECKS)
    yield unknown(name, 'Skipped: it can only be checked on the machine of the hub.');
  const hub = await client.hub();
  yield await checkCertificate(hub);
  let session: Session;
  try {
    session = await client.request('GET', '/api/v1/session');
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error;
    yield fail('hub', error.detail, error.remedy);
    return;
  }
  yield* await checkAnswer(hub, client.version);
  yield checkToken(session);
  yield await checkSocket(hub);
  yield* checkDaemon(client);
}

async function checkAnswer(hub: Hub, version: string): Promise<CheckResult[]> {
  const fetch = await fetcherFor(hub);
  const startedAt = performance.now();
  const { headers } = await fetch(`${hub.url}/api/v1/session`, {
    headers: { authorization: `Bearer ${hub.token}` },
    redirect: 'manual',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const ms = Math.round(performance.now() - startedAt);
  const found = headers.get(VERSION_HEADER) ?? 'unknown';
  const versions = `version ${found}; this program has version ${version}`;
  const aheadS = Math.round((Date.now() - Date.parse(headers.get('date') ?? '')) / 1_000);
  return [
    pass('hub', `${hub.url} answers in ${ms} ms. It has ${versions}.`),
    Number.isNaN(aheadS)
      ? unknown('this clock', 'The answer has no date to compare it with.')
      : Math.abs(aheadS) <= CLOCK_TOLERANCE_S
        ? pass('this clock', 'It agrees with that of the hub.')
        : fail(
            'this clock',
            `It is ${duration(Math.abs(aheadS))} ${aheadS > 0 ? 'ahead of' : 'behind'} that of the hub.`,
            'Synchronize both with NTP.',
          ),
  ];
}

function checkToken({ name, scopes, expires_at: expires }: Session): CheckResult {
  const who = name === null ? 'The admin token' : `The token "${name}"`;
  const sentence = `${who} has ${scopes.join(', ')}, and ${expires === null ? 'does not expire' : `expires at ${expires}`}.`;
  return expires !== null && daysUntil(expires) < SOON_DAYS
    ? fail('token', sentence, 'Create another one in time: switchboard token create.')
    : pass('token', sentence);
}

const daysUntil = (time: string) => Math.floor((Date.parse(time) - Date.now()) / 1_000 / DAY_S);

const hasProxy = ({ protocol }: URL) =>
  protocol === 'https:' && Boolean(process.env['HTTPS_PROXY'] ?? process.env['https_proxy']);

const PROXIED = 'Skipped: HTTPS_PROXY is set, so that the connection ends at a proxy.';

/** Name, issuers and days left of the certificate that the hub, or a proxy before it, shows. */
async function checkCertificate({ url, caFile }: Hub): Promise<CheckResult> {
  const { protocol, hostname, port } = new URL(url);
  if (protocol === 'http:') return unknown('certificate', `${url} has none: it is http.`);
  if (hasProxy(new URL(url))) return unknown('certificate', PROXIED);
  return new Promise((done) => {
    const host = hostname.replace(/^\[|\]$/g, '');
    const ca = caFile === null ? {} : { ca: [...rootCertificates, readFileSync(caFile, 'utf8')] };
    const socket = connect({
      host,
      port: Number(port || 443),
      servername: host,
      rejectUnauthorized: false,
      ...ca,
    });
    const end = (result: CheckResult) => {
      socket.destroy();
      done(result);
    };
    socket.setTimeout(TIMEOUT_MS, () => end(unknown('certificate', 'None was shown in time.')));
    socket.on('error', ({ message }) => end(unknown('certificate', `None was shown: ${message}.`)));
    socket.on('secureConnect', () => {
      const found = socket.getPeerCertificate(true);
      const days = daysUntil(found.valid_to);
      const sentence = `${chainOf(found).join(', signed by ')}: ${days} days left.`;
      if (!socket.authorized)
        end(
          fail(
            'certificate',
            `${sentence} It is not trusted: ${String(socket.authorizationError)}.`,
            'Renew it, or name what signs it: switchboard login --ca-file.',
          ),
        );
      else end(days < SOON_DAYS ? fail('certificate', sentence, 'Renew it.') : pass('certificate', sentence));
    });
  });
}

/** Names, from that of the hub on; the last one signs itself. */
function chainOf(found: PeerCertificate & { issuerCertificate?: PeerCertificate }): string[] {
  const { issuerCertificate: issuer } = found;
  const name = String(found.subject.CN ?? found.subject.O ?? 'without a name');
  return issuer === undefined || issuer.fingerprint256 === found.fingerprint256
    ? [name]
    : [name, ...chainOf(issuer)];
}

/** Whether the upgrade of a socket reaches the hub: some proxies drop it. */
async function checkSocket({ url, token, caFile }: Hub): Promise<CheckResult> {
  const address = new URL(`${url}/socket.io/?EIO=4&transport=websocket`);
  if (hasProxy(address)) return unknown('socket', PROXIED);
  const remedy =
    'Let upgrades of /socket.io pass. Without it, "listen" cannot work; "tail" and consumers can.';
  return new Promise((done) => {
    const headers = {
      authorization: `Bearer ${token}`,
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': Buffer.alloc(16).toString('base64'),
    };
    const options = {
      headers,
      timeout: TIMEOUT_MS,
      ...(caFile !== null && { ca: readFileSync(caFile, 'utf8') }),
    };
    const request = (address.protocol === 'https:' ? requestTls : requestPlain)(address, options);
    const end = (result: CheckResult) => {
      request.destroy();
      done(result);
    };
    request.on('upgrade', (_, socket) => {
      socket.destroy();
      end(pass('socket', 'The upgrade of a socket reaches the hub.'));
    });
    request.on('response', ({ statusCode: status, headers: { server } }) =>
      end(
        fail(
          'socket',
          `The upgrade was answered with ${status}${server === undefined ? '' : ` by ${String(server)}`}.`,
          remedy,
        ),
      ),
    );
    request.on('timeout', () => end(fail('socket', 'The upgrade was not answered in time.', remedy)));
    request.on('error', ({ message }) => end(fail('socket', `The upgrade failed: ${message}.`, remedy)));
    request.end();
  });
}
