import { RecordingTarget } from '../../support/fakes/recording-target';
import { HubCommands } from '../../support/daemon/hub-commands';
import { Switchboard } from '../../support/daemon/switchboard';

let hub: Switchboard;
let target: RecordingTarget;
let commands: HubCommands;

beforeAll(async () => {
  hub = await Switchboard.start();
  target = await RecordingTarget.start();
  await hub.addTarget('shop', target.url, ['*']);
  await hub.ask('/consumers', { method: 'POST', json: { name: 'reader' } });
  commands = new HubCommands(hub);
  await commands.run(['targets', 'list'], 'read');
});

// Wrong tokens are refused for a while.
afterEach(() => hub.clock.move(60_000));

afterAll(async () => {
  await hub.end();
  await target.close();
});

const audited = async () =>
  ((await hub.ask('/audit?limit=1')).json as { data: { id: string }[] }).data[0]?.id;

/** Each changing verb, with what it needs to be carried out. */
const CHANGES: readonly (readonly string[])[] = [
  ['targets', 'add', 'other', '--url', 'http://127.0.0.1:9/'],
  ['targets', 'edit', 'shop', '--name', 'store'],
  ['targets', 'pause', 'shop'],
  ['targets', 'resume', 'shop'],
  ['targets', 'test', 'shop'],
  ['targets', 'exam', 'shop'],
  ['targets', 'remove', 'shop', '--yes'],
  ['targets', 'secret', 'rotate', 'shop'],
  ['dead', 'retry', '--all', '--yes'],
  ['dead', 'discard', '--all', '--reason', 'old', '--yes'],
  ['trigger', 'deal.created', '--to', 'shop'],
  ['token', 'create', 'ci', '--scope', 'read'],
  ['token', 'revoke', 'tok_0', '--yes'],
  ['consumers', 'create', 'other'],
  ['consumers', 'reset', 'reader', '--position', 'oldest', '--yes'],
  ['consumers', 'remove', 'reader', '--yes'],
];

describe.each(CHANGES.map((args) => [args.join(' '), args] as const))('%s', (_, args) => {
  it('changes nothing with a wrong token, or without the scope, which is named', async () => {
    const before = await audited();
    const wrong = await commands.run(args, 'wrong');
    expect({ code: wrong.code, out: wrong.out }).toEqual({ code: 77, out: '' });
    const { code, out, err } = await commands.run([...args, '--json'], 'read');
    expect({ code, out }).toEqual({ code: 77, out: '' });
    expect(JSON.parse(err)).toMatchObject({
      code: 'scope_missing',
      detail: expect.stringMatching(/operate|admin|receive/),
    });
    expect(await audited()).toBe(before);
  });
});

it.each(CHANGES.filter((args) => args.includes('--yes')).map((args) => [args.join(' '), args] as const))(
  '%s asks, and so needs a terminal without --yes',
  async (_, args) => {
    const before = await audited();
    const { code, out, err } = await commands.run(args.filter((word) => word !== '--yes'));
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(/: confirmation needs a terminal\. Use --yes to skip it\.\n$/);
    expect(await audited()).toBe(before);
  },
);

it.each([
  ['targets', 'pause', '--all'],
  ['targets', 'resume', '--all'],
])('%s %s %s needs a terminal without --yes', async (...args) => {
  expect(await commands.run(args)).toMatchObject({ code: 2, out: '' });
});

it.each([
  [['targets', 'add', 'shop', '--url', 'http://127.0.0.1:9/'], 1, /name/],
  [['targets', 'add', 'other', '--url', 'ftp://127.0.0.1/'], 1, /url: /],
  [
    ['targets', 'add', 'other', '--url', 'http://127.0.0.1:9/', '--policy', 'concurrency=0'],
    1,
    /policy\.concurrency: /,
  ],
  [['targets', 'add', 'other', '--url', 'http://127.0.0.1:9/', '--filter', '{'], 2, /--filter is not JSON/],
  [['targets', 'add', 'other', '--secret-header', 'key=hunter2'], 2, /can be seen by others/],
  [['targets', 'add', 'other', '--secret-header', 'key'], 2, /no terminal to ask on/],
  [['targets', 'edit', 'shop'], 2, /no terminal to edit on/],
  [['targets', 'edit', 'shop', '--url', 'http://127.0.0.2:9/'], 1, /new_secret/],
  [['targets', 'remove', 'nope', '--yes'], 1, /no target "nope"/],
  [['targets', 'pause'], 2, /Name targets, or use --all/],
  [['dead', 'retry'], 2, /which dead letters/],
  [['dead', 'retry', 'dlv_0', '--all'], 2, /which dead letters/],
  [['dead', 'discard', '--all'], 2, /--reason/],
  [['trigger', 'deal.created'], 2, /no sandbox .* --to/],
  [
    ['trigger', 'deal.created', '--to', 'shop', '--override', 'status=4', '--data', '{}'],
    2,
    /names no field/,
  ],
  [['trigger', 'deal.gone', '--to', 'shop', '--override', 'data.a=4'], 1, /No event of the type/],
  [['token', 'create', 'ci', '--scope', 'all'], 2, /Must be read, reveal/],
  [['token', 'revoke', 'tok_00000000000000000000000000', '--yes'], 1, /tok_0/],
  [['consumers', 'create', 'reader', '--type', 'deal.*'], 1, /reader/],
  [['consumers', 'reset', 'nope', '--position', 'oldest', '--yes'], 1, /nope/],
] as const)('%j is refused with a sentence: %d', async (args, code, sentence) => {
  const before = await audited();
  const result = await commands.run(args);
  expect({ code: result.code, out: result.out }).toEqual({ code, out: '' });
  expect(result.err).toMatch(sentence);
  expect(result.err).not.toContain('hunter2');
  expect(await audited()).toBe(before);
});
