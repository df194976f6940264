import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { saveAddress } from '../../../src/relay/http/listening';
import { readAddress } from '../../../src/relay/settings/address-file';

it('an address that cannot be saved does not end the daemon, and is saved once it can be', () => {
  jest.useFakeTimers();
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-address-'));
  const dataDir = join(folder, 'missing');
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(line) });
  const forget = saveAddress(dataDir, '0.0.0.0', 4000, 'secret', log);
  jest.advanceTimersByTime(5_000);
  expect(lines).toEqual([expect.stringContaining('commands cannot find the daemon')]);
  mkdirSync(dataDir);
  jest.advanceTimersByTime(1_000);
  expect(readAddress(dataDir)).toEqual({ url: 'http://127.0.0.1:4000', secret: 'secret' });
  forget();
  jest.advanceTimersByTime(5_000);
  expect(existsSync(join(dataDir, 'address'))).toBe(false);
  rmSync(folder, { recursive: true });
});
