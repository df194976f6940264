import { existsSync, mkdtempSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addressFile } from '../relay/settings/address-file';
import { writeCodeCache } from './code-cache';
import { loadChunk, loadedChunks } from './load-chunk';

/**
 * The last step of the build: starts the daemon in an empty folder and writes the code that V8 has compiled by the time it
 * listens. This is a separate program, so the daemon itself never writes code.
 */

const POLL_MS = 10;

const folder = mkdtempSync(join(tmpdir(), 'switchboard-build-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

// Without the settings and the .env file of the machine that builds.
process.chdir(folder);
process.env = {
  COPILOT_BASE_URL: 'http://127.0.0.1:9',
  COPILOT_CLIENT_ID: 'build',
  COPILOT_CLIENT_SECRET: 'build',
};
process.argv.splice(2, Infinity, 'serve', '--host', '127.0.0.1', '--port', '0', '--data-dir', folder);
process.argv.push('--log-level', 'error');

// Shown only on failure: a first start prints a login link, which would be confusing in the output of a build.
let output = '';
process.stderr.write = (text: string | Uint8Array) => {
  output += String(text);
  return true;
};
process.on('exit', (code) => {
  if (code !== 0) writeSync(process.stderr.fd, output);
});

loadChunk('main.js');
const timer = setInterval(() => {
  if (!existsSync(addressFile(folder))) return;
  clearInterval(timer);
  for (const { file, script } of loadedChunks.values())
    writeCodeCache(file, readFileSync(file), script.createCachedData());
  process.kill(process.pid, 'SIGTERM');
}, POLL_MS);
