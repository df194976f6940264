import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TargetCreated } from '../../../src/contract/target';
import { SIGNATURE_FORMS } from '../../../src/contract/constants';
import { verifySnippets } from '../../../ui/src/features/signing-secret/verify-snippets';
import { Switchboard } from '../../support/daemon/switchboard';
import type { Hit, RecordingTarget } from '../../support/fakes/recording-target';
import { useReceivers } from '../../support/fakes/receivers';
import { GO_ENVIRONMENT } from '../../support/go-environment';
import { until } from '../../support/until';

interface Runtime {
  name: string;
  command: string[];
  file: string;
  /** Prints what `verify` returns for each of the requests in a file. */
  main: string;
  /** Changes of the code, so that it can be run. */
  adapt?: (code: string) => string;
}

const RUNTIMES: Runtime[] = [
  {
    name: 'Node' as const,
    command: [process.execPath],
    file: 'verify.mjs',
    main: `
import { readFileSync } from 'node:fs';
for (const { headers, body } of JSON.parse(readFileSync(process.argv[2], 'utf8')))
  console.log(verify(headers, Buffer.from(body, 'base64')));
`,
  },
  {
    name: 'Python' as const,
    command: ['python3'],
    file: 'verify.py',
    main: `
import json
import sys
for request in json.load(open(sys.argv[1])):
    print(str(verify(request["headers"], base64.b64decode(request["body"]))).lower())
`,
  },
  {
    name: 'Go' as const,
    command: ['go', 'run'],
    file: 'verify.go',
    // All imports are at the top. On a new machine `net/http` takes half a minute to compile; its `Header` is this type.
    adapt: (code: string) =>
      code
        .replace('import (', 'import (\n\t"encoding/json"\n\t"os"')
        .replace('"net/http"', 'http "net/textproto"')
        .replace('http.Header', 'http.MIMEHeader'),
    main: `
func main() {
	bytes, _ := os.ReadFile(os.Args[1])
	var requests []struct { Headers map[string]string; Body []byte }
	_ = json.Unmarshal(bytes, &requests)
	for _, request := range requests {
		header := http.MIMEHeader{}
		for name, value := range request.Headers { header.Set(name, value) }
		fmt.Println(verify(header, request.Body))
	}
}
`,
  },
].filter(
  ({ command }) => spawnSync(command[0]!, [command[0] === 'go' ? 'version' : '--version']).status === 0,
);

let switchboard: Switchboard;
let receiver: RecordingTarget;
let target: TargetCreated;
let folder: string;
const startReceiver = useReceivers();

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'switchboard-snippets-'));
  receiver = await startReceiver();
  switchboard = await Switchboard.start();
  target = await switchboard.addTarget('verified', receiver.url, ['*']);
});

afterAll(async () => {
  await switchboard.end();
  rmSync(folder, { recursive: true });
});

async function receive(): Promise<Hit> {
  const id = await switchboard.emit('deal.created', { name: 'Ünïcode' });
  await until('it arrives', () => receiver.of(id).length === 1);
  return receiver.of(id)[0]!;
}

const toRequest = ({ headers, body }: Hit, changes: Record<string, string> = {}) => ({
  headers: Object.fromEntries(
    ['webhook-id', 'webhook-timestamp', 'webhook-signature', 'x-own'].map((name) => [
      name,
      changes[name] ?? String(headers[name]),
    ]),
  ),
  body: Buffer.from(changes['body'] ?? body).toString('base64'),
});

/** Without blocking this process, which has to keep its connections. */
function run(
  { name, command: [program, ...first], file, main, adapt = String }: Runtime,
  { secret, signature, public_key }: TargetCreated,
  requests: object[],
): Promise<{ answers: string[]; stderr: string }> {
  const { code } = verifySnippets(secret, { signature, public_key }).find(
    (snippet) => snippet.name === name,
  )!;
  writeFileSync(join(folder, file), adapt(code) + main);
  const list = join(folder, 'requests.json');
  writeFileSync(list, JSON.stringify(requests));
  const words = [...first, join(folder, file), list];
  return new Promise((done) => {
    execFile(program!, words, { env: { ...process.env, ...GO_ENVIRONMENT } }, (_, stdout, stderr) =>
      done({ answers: stdout.trim().split(/\s+/), stderr }),
    );
  });
}

describe('the code that the dashboard shows with a new secret', () => {
  it.each(RUNTIMES)(
    'accepts genuine deliveries and rejects altered and old ones, in $name',
    async (runtime) => {
      switchboard.clock.move(Date.now() - switchboard.clock.now());
      const hit = await receive();
      const now = Math.floor(Date.now() / 1_000);
      switchboard.clock.move(-600_000);
      const old = await receive();
      switchboard.clock.move(600_000);
      const rotated = await switchboard.ask(`/targets/${target.id}/secret/rotate`, { method: 'POST' });
      const overlapping = await receive();
      const requests = [
        toRequest(hit),
        toRequest(overlapping),
        toRequest(hit, { body: `${String(hit.body)} ` }),
        toRequest(hit, { 'webhook-id': 'evt_another' }),
        toRequest(hit, { 'webhook-timestamp': String(now + 1) }),
        toRequest(hit, { 'webhook-signature': `v1,${Buffer.alloc(32).toString('base64')}` }),
        toRequest(old),
      ];
      expect(await run(runtime, target, requests)).toEqual({
        answers: ['true', 'true', 'false', 'false', 'false', 'false', 'false'],
        stderr: '',
      });
      const after = rotated.json as TargetCreated;
      const { answers } = await run(runtime, after, [toRequest(overlapping), toRequest(hit)]);
      expect(answers).toEqual(['true', 'false']);
      target = after;
    },
  );

  it.each([...SIGNATURE_FORMS, 'Ed25519'] as const)('does so with the signature %s', async (form) => {
    switchboard.clock.move(Date.now() - switchboard.clock.now());
    const isForm = form !== 'Ed25519';
    const added = await switchboard.addTarget(form.replaceAll(/[=,]/g, ' '), receiver.url, ['signed'], {
      ed25519: !isForm,
      signature: isForm ? { header: 'X-Own', form } : null,
    });
    const id = await switchboard.emit('signed');
    await until('both have it', () => receiver.of(id).length === 2);
    const hit = receiver
      .of(id)
      .find(
        ({ headers }) =>
          headers['x-own'] !== undefined ||
          (!isForm && String(headers['webhook-signature']).includes('v1a,')),
      )!;
    const node = { ...RUNTIMES[0]!, name: `Node, ${isForm ? 'x-own' : form}` };
    const wrong = isForm
      ? { 'x-own': `${String(hit.headers['x-own']).slice(0, -4)}abcd` }
      : { 'webhook-id': 'evt_another' };
    expect(
      await run(node, added, [toRequest(hit), toRequest(hit, { body: '{}' }), toRequest(hit, wrong)]),
    ).toEqual({
      answers: ['true', 'false', 'false'],
      stderr: '',
    });
    await switchboard.removeTarget(added);
  });
});
