import { spawnSync } from 'node:child_process';
import * as fc from 'fast-check';
import type { EventDetail } from '../../../src/contract/event';
import { readPayload } from '../../../ui/src/payload/payload';
import { curlCommand } from '../../../ui/src/screens/event/curl-command';

const commandOf = (body: string, header = 'plain') =>
  curlCommand(
    { id: 'evt_1', headers: [['x-signature', header]] } as unknown as EventDetail,
    readPayload(new TextEncoder().encode(body)),
    'http://127.0.0.1:9/hook',
  );

/** The arguments that bash passes to curl. */
function argumentsOf(command: string): string[] {
  const script = `curl() { printf '%s\\0' "$@"; }\n${command}`;
  const { stdout, status } = spawnSync('bash', ['-c', script], { env: { LC_ALL: 'C' } });
  expect(status).toBe(0);
  return stdout.toString().split('\0').slice(0, -1);
}

const HOSTILE = [
  '\u001b[201~; touch /tmp/pwned\r',
  '\u009b31mred',
  "it's \u0007 and \\x41 $(id) `id`",
  'a\u0001f',
  'reversed \u202e text\u2066',
  'line\nfeed\ttab',
  "$'\\n'",
];

it.each(HOSTILE)('contains no control characters, and passes the exact bytes to curl: %j', (text) => {
  const command = commandOf(text, text.replaceAll('\n', ' '));
  expect(command).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
  const args = argumentsOf(command);
  expect(args.at(-1)).toBe(text);
  expect(args).toContain(`x-signature: ${text.replaceAll('\n', ' ')}`);
});

it('passes the exact bytes of any text to curl', () => {
  const text = fc
    .string({ unit: 'binary', minLength: 1 })
    .filter((one) => !one.includes('\0') && !one.startsWith('@'));
  fc.assert(
    fc.property(text, (body) => expect(argumentsOf(commandOf(body)).at(-1)).toBe(body)),
    { numRuns: 50 },
  );
});

it('refers to the downloaded file if the payload cannot be part of a command', () => {
  expect(argumentsOf(commandOf('a\0b')).slice(-2)).toEqual(['--data-binary', '@evt_1.json']);
});

it('does not escape harmless text', () => {
  expect(commandOf(`{"name":"O'Hara ü"}`)).toContain(String.raw`--data-raw '{"name":"O'\''Hara ü"}'`);
});
