import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Backup, BackupRun } from '../contract/backup';
import { formatSize } from '../relay/ground/format-size';
import { CommandFailed } from './command-failed';
import { EXIT } from './exit-codes';
import { jsonLine, oneLine } from './printable';
import type { HubClient } from './remote/hub-client';

const POLL_INTERVAL_MS = 200;

export async function backUp(hub: HubClient, file: string, { json }: { json?: boolean }): Promise<void> {
  const started = await hub.request('POST', '/api/v1/backups', {
    body: { file: resolve(file) },
  });
  const { backup, error } = await waitForEnd(hub, started);
  if (error !== null) throw new CommandFailed(EXIT.failed, oneLine(`${error.detail} ${error.remedy}`));
  process.stdout.write(`${json ? jsonLine(backup) : oneLine(describeBackup(backup!))}\n`);
  if (isHiddenFromHere(backup!.file))
    process.stderr.write(
      oneLine(
        `${backup!.file} is not visible here: the daemon sees other files there, as under systemd in /tmp (PrivateTmp) or in a container. It may remove them when it stops. Back up to a folder that both see.`,
      ) + '\n',
    );
  if (backup!.findings > 0) process.exitCode = EXIT.inconsistent;
}

/** Without access to the folder, nothing can be said. */
function isHiddenFromHere(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false;
  }
}

async function waitForEnd(hub: HubClient, started: BackupRun): Promise<BackupRun> {
  const progress = new Progress();
  try {
    for (;;) {
      const { run } = await hub.request('GET', '/api/v1/backups');
      if (run?.id !== started.id)
        throw new CommandFailed(
          EXIT.failed,
          'The daemon was restarted, which abandoned the backup. Run the command again.',
        );
      if (run.ended_at !== null) return run;
      progress.show(run);
      await pause(POLL_INTERVAL_MS);
    }
  } finally {
    progress.end();
  }
}

function describeBackup({ file, at, bytes, events, newest_seq: newest, findings }: Backup): string {
  const what = `Backed up to ${file}: ${formatSize(bytes)}, ${events} events, the newest with seq ${newest}; everything stored before ${at}.`;
  return findings === 0
    ? `${what} Verified.`
    : `${what} The copy is intact, but the consistency check found problems in the data (${findings}): switchboard doctor --ledger lists them.`;
}

/** On standard error: a line that changes on a terminal, elsewhere one line for each state. */
class Progress {
  private shown = '';

  show({ state, progress }: BackupRun): void {
    const isTerminal = process.stderr.isTTY;
    const share = state === 'copying' && isTerminal ? ` ${Math.floor(progress * 100)} %` : '';
    const text = `${state === 'copying' ? 'Copying' : 'Verifying'}${share} …`;
    if (text === this.shown) return;
    this.shown = text;
    process.stderr.write(isTerminal ? `\r\x1b[K${text}` : `${text}\n`);
  }

  end(): void {
    if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
  }
}
