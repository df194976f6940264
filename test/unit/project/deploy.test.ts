import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { MAX_WAIT_S } from '../../../src/contract/event';
import { SETTINGS } from '../../../src/relay/settings/setting-table';
import { trackedFiles } from '../../support/tracked-files';

const read = (file: string) => readFileSync(join(__dirname, '../../..', file), 'utf8');
const files = trackedFiles().filter((file) =>
  /^deploy\/(caddy|nginx|haproxy|traefik|kubernetes)\//.test(file),
);
const caddy = read('deploy/caddy/users.Caddyfile');
const nginx = read('deploy/nginx/switchboard.conf') + read('deploy/nginx/switchboard-proxy.conf');
const haproxy = read('deploy/haproxy/haproxy.cfg');
const traefik = read('deploy/traefik/traefik.yml') + read('deploy/traefik/switchboard.yml');
const kubernetes = read('deploy/kubernetes/switchboard.yaml');
const proxies = { caddy, nginx, haproxy, traefik, kubernetes };

interface Route {
  rule?: string;
  match?: string;
  priority?: number;
  middlewares: (string | { name: string })[];
}

/** The only number in a text that follows the pattern, in bytes or seconds. */
function limit(text: string, pattern: RegExp): number {
  const [, digits, unit = ''] = pattern.exec(text)!;
  return Number(digits) * (/^m/i.test(unit) ? 1_024 * 1_024 : 1);
}

it('deploy/ names only settings that exist, and documents name each of its files', () => {
  const names = files.flatMap((file) => read(file).match(/\b(SWITCHBOARD|COPILOT)_[A-Z_]+\b/g) ?? []);
  expect(names.length).toBeGreaterThan(10);
  expect(names.filter((name) => !(name.replace(/_FILE$/, '') in SETTINGS))).toEqual([]);
  const docs = read('docs/deploying.md');
  expect(files.filter((file) => !docs.includes(file))).toEqual([]);
});

it.each([
  ['caddy', /max_size (\d+)(MiB)/],
  ['nginx', /client_max_body_size (\d+)(m);/],
  ['haproxy', /req\.body_size gt (\d+)/],
  ['traefik', /maxRequestBodyBytes: (\d+)/],
  ['kubernetes', /maxRequestBodyBytes: (\d+)/],
] as const)('%s lets bodies pass that the daemon rejects and reports', (name, pattern) => {
  expect(limit(proxies[name], pattern)).toBe(
    2 * Number(SETTINGS.SWITCHBOARD_BODY_LIMIT_BYTES.default.replaceAll('`', '')),
  );
});

it.each([
  ['nginx', /proxy_read_timeout (\d+)s/],
  ['haproxy', /timeout server (\d+)s/],
  ['haproxy', /timeout client (\d+)s/],
  ['haproxy', /timeout tunnel (\d+)s/],
  ['traefik', /responseHeaderTimeout: (\d+)s/],
] as const)('%s waits for what the daemon holds: %s', (name, pattern) => {
  expect(limit(proxies[name], pattern)).toBeGreaterThan(MAX_WAIT_S);
});

it.each([
  ['caddy', /keepalive (\d+)s/],
  ['nginx', /keepalive_timeout (\d+)s/],
  ['haproxy', /pool-purge-delay (\d+)s/],
  ['traefik', /idleConnTimeout: (\d+)s/],
] as const)('%s ends idle connections before the daemon does', (name, pattern) => {
  expect(limit(proxies[name], pattern)).toBeLessThan(
    Number(SETTINGS.SWITCHBOARD_KEEP_ALIVE_S.default.replaceAll('`', '')),
  );
});

it('each proxy removes what a client sends as a user, on every path', () => {
  for (const name of ['Remote-User', 'Remote-Groups']) {
    expect(caddy).toMatch(new RegExp(`route \\{[^]*request_header -${name}\\n[^]*@people`));
    const locations = nginx.split(/\n {4}location /).slice(1);
    expect(locations).toHaveLength(3);
    for (const location of locations) expect(location).toMatch(new RegExp(`proxy_set_header ${name} [$']`));
    expect(haproxy).toMatch(new RegExp(`http-request del-header ${name}\\n[^]*acl open`));
  }
  const { routers, middlewares } = (
    parse(read('deploy/traefik/switchboard.yml')) as {
      http: { routers: Record<string, Route>; middlewares: Record<string, object> };
    }
  ).http;
  expect(middlewares['nobody']).toEqual({
    headers: { customRequestHeaders: { 'Remote-User': '', 'Remote-Groups': '', Forwarded: '' } },
  });
  for (const { middlewares: chain } of Object.values(routers)) expect(chain[0]).toBe('nobody');
});

describe('the manifest for Kubernetes', () => {
  const documents = parseAllDocuments(kubernetes).map((one) => one.toJS() as Record<string, never>);
  const of = (kind: string) => documents.find((one) => one['kind'] === kind) as never;

  it('has the routes of the file for Traefik, but for the probes, which the cluster sends to the pod', () => {
    const { routers } = (
      parse(read('deploy/traefik/switchboard.yml')) as { http: { routers: Record<string, Route> } }
    ).http;
    const { routes } = (of('IngressRoute') as { spec: { routes: Route[] } }).spec;
    expect(
      routes.map(({ match, middlewares }) => [
        match,
        middlewares.map((one) => (one as { name: string }).name.replace('switchboard-', '')),
      ]),
    ).toEqual(
      Object.values(routers).map(({ rule, middlewares }) => [
        rule!.replace(' || Path(`/healthz`) || Path(`/readyz`)', ''),
        middlewares,
      ]),
    );
  });

  it('runs one unprivileged daemon, in which no variable of a service takes the place of a setting', () => {
    const { spec } = of('StatefulSet') as { spec: { replicas: number; template: { spec: object } } };
    expect(spec.replicas).toBe(1);
    expect(spec.template.spec).toMatchObject({
      enableServiceLinks: false,
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true },
      containers: [{ securityContext: { readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } } }],
    });
  });
});
