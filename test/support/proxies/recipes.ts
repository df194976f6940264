import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const DEPLOY = join(__dirname, '../../../deploy');
const CERTIFICATES = join(__dirname, '../../fixtures/certificates');

/** What a recipe names, and a test has elsewhere. */
export interface Places {
  /** Of the proxy, the daemon, and the service that authenticates people. */
  ports: { proxy: number; daemon: number; users: number };
  /** For the files of the program. */
  folder: string;
  secret: string;
}

export interface Recipe {
  program: string;
  /** Names of the files, by their paths in `deploy`, in the test's folder. */
  files: Record<string, string>;
  /** Beside those files. */
  extra?: (places: Places) => Record<string, string>;
  /** Arguments; the program stays in the foreground. */
  start: string[];
  /** Arguments with which it only reads the files, if it can. */
  check?: string[];
}

const PEM = `${readFileSync(join(CERTIFICATES, 'good.pem'), 'utf8')}${readFileSync(join(CERTIFICATES, 'good.key'), 'utf8')}`;
// crypt(3) of "password".
const PASSWORD = '$5$saltsalt$gOjOtoMpVhru2uyjeJSEc/JaLQWOXMNmlOnj6T4AtC.';

/** What the recipes take from the environment. */
export const environmentOf = ({ secret, folder }: Places) => ({
  PROXY_SECRET: secret,
  HOME: folder,
  ANN_PASSWORD: PASSWORD,
  OTTO_PASSWORD: PASSWORD,
});

export const RECIPES: Recipe[] = [
  {
    program: 'caddy',
    files: { 'caddy/users.Caddyfile': 'Caddyfile' },
    check: ['validate', '--config', 'Caddyfile'],
    start: ['run', '--config', 'Caddyfile'],
  },
  {
    program: 'nginx',
    files: {
      'nginx/switchboard.conf': 'conf.d/switchboard.conf',
      'nginx/switchboard-proxy.conf': 'snippets/switchboard-proxy.conf',
    },
    extra: ({ secret }) => ({
      'snippets/switchboard-secret.conf': `proxy_set_header X-Proxy-Secret '${secret}';\n`,
      'nginx.conf':
        'user root; daemon off; master_process off; pid nginx.pid; error_log stderr; events {} http { access_log off; client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path a; uwsgi_temp_path b; scgi_temp_path c; include conf.d/*.conf; }\n',
    }),
    check: ['-t', '-p', '.', '-c', 'nginx.conf'],
    start: ['-p', '.', '-c', 'nginx.conf'],
  },
  {
    program: 'haproxy',
    files: { 'haproxy/haproxy.cfg': 'haproxy.cfg' },
    check: ['-c', '-f', 'haproxy.cfg'],
    start: ['-db', '-f', 'haproxy.cfg'],
  },
  {
    program: 'traefik',
    files: { 'traefik/traefik.yml': 'traefik.yml', 'traefik/switchboard.yml': 'switchboard.yml' },
    start: ['--configFile=traefik.yml'],
  },
];

/** The text of a recipe, with the places of the test. */
export function adapt(text: string, { ports, folder }: Places): string {
  return text
    .replaceAll('127.0.0.1:4000', `127.0.0.1:${ports.daemon}`)
    .replaceAll('127.0.0.1:9091', `127.0.0.1:${ports.users}`)
    .replaceAll(/\/etc\/(nginx|haproxy)\/hub/g, `${folder}/hub`)
    .replaceAll('/etc/traefik', folder)
    .replace(
      'hub.example.com {',
      `https://localhost:${ports.proxy} {\n\ttls ${folder}/hub.pem ${folder}/hub.key`,
    )
    .replace('\tservers {', '\tadmin off\n\tauto_https off\n\tservers {')
    .replaceAll('hub.example.com', 'localhost')
    .replace(/(listen |bind :|address: ':)443/, `$1${ports.proxy}`);
}

export const certificateFiles = { 'hub.pem': PEM, 'hub.key': PEM };
