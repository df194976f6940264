import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Restored } from '../relay/backups/restore-backup';
import { assertFile } from '../relay/database/sqlite/assert-file';
import { systemClock } from '../relay/ground/clock';
import { formatSize } from '../relay/ground/format-size';
import { systemRandom } from '../relay/ground/random';
import { readRestoreSettings } from '../relay/settings/read-settings';
import { orCommandFailed } from './startup-failed';
import { CommandFailed } from './command-failed';
import { EXIT } from './exit-codes';
import { jsonLine, oneLine } from './printable';
import type { SettingsFlags } from './definitions/settings-flags';
import { environmentWith } from './environment';

const STAGES = {
  copying: 'Copying …',
  upgrading: 'Upgrading to the schema of this version …',
  verifying: 'Verifying …',
};

export async function restore(
  file: string,
  { json, erasures, ...flags }: SettingsFlags & { json?: boolean; erasures?: string },
): Promise<void> {
  // Imported here, so that other commands do not load it.
  const { restoreBackup } = await import('../relay/backups/restore-backup.js');
  const restored = await orCommandFailed('Not restored', () => {
    const settings = readRestoreSettings(environmentWith(flags));
    assertFile(settings, "Restore with the server's own tools, such as pg_restore.");
    return restoreBackup(resolve(file), settings, {
      clock: systemClock,
      random: systemRandom,
      ...(erasures !== undefined && { erasures: existing(erasures) }),
      onStage: (stage) => process.stderr.write(`${STAGES[stage]}\n`),
    });
  });
  const { databaseFile, backup, upgraded } = restored;
  const notes = notesOn(restored);
  process.stdout.write(
    json
      ? `${jsonLine({ database: databaseFile, backup, upgraded, erased: restored.erased, notes })}\n`
      : `${oneLine(describe(restored))}\n${notes.map(formatNote).join('')}`,
  );
  if (backup.findings > 0) process.exitCode = EXIT.inconsistent;
}

function describe({ databaseFile, backup, upgraded }: Restored): string {
  const { file, bytes, events, findings } = backup;
  return [
    `Restored ${file} to ${databaseFile}: ${formatSize(bytes)}, ${events} events.`,
    ...(upgraded.length > 0 ? [`Upgraded by ${upgraded.join(', ')}.`] : []),
    findings === 0
      ? 'Verified.'
      : `The consistency check found problems in the data (${findings}): switchboard doctor --ledger lists them.`,
  ].join(' ');
}

/** @throws CommandFailed unless there is such a file */
function existing(file: string): string {
  if (existsSync(file)) return resolve(file);
  throw new CommandFailed(
    EXIT.config,
    `Not restored: there is no file ${file}.`,
    'Correct --erasures.',
    'no_file',
  );
}

interface Note {
  topic: 'erasures' | 'lost' | 'duplicates' | 'cursors' | 'connection' | 'access';
  sentence: string;
}

/** What differs from the original, and what to do about it. */
function notesOn({ backup: { at, newest_seq: newest }, hasGrant, erased }: Restored): Note[] {
  return [
    {
      topic: 'erasures',
      sentence:
        erased === null
          ? `There is no erasures.ndjson beside the backup: what was erased after ${at} is there again. Restore with --erasures and that file of the original, or erase it again.`
          : `${erased} events were erased again that had been erased after the backup.`,
    },
    {
      topic: 'lost',
      sentence: `Events received after ${at} are missing, up to the start of the daemon: Co-Pilot does not send them again. The daemon shows this period as an outage.`,
    },
    {
      topic: 'duplicates',
      sentence: `Deliveries that finished after ${at} are sent once more, with the same webhook-id: receivers that check it ignore them.`,
    },
    {
      topic: 'cursors',
      sentence: `The next event gets the seq ${newest + 1}, which the original may have used for another one. The hub has a new instance id, so the ids of new events and deliveries differ from the original's. Clients that have stored a later seq, a cursor or the id of an event after that must start again from ${at}.`,
    },
    {
      topic: 'connection',
      sentence: hasGrant
        ? 'Every renewal replaces the refresh token. If the original has renewed its token since the backup, Co-Pilot rejects this one and may revoke the grant: the connection then shows "Consent needed"; connect again with switchboard connect. Never start the original again beside this hub: they share the grant and the webhook.'
        : 'The backup contains no grant: connect with switchboard connect.',
    },
    {
      topic: 'access',
      sentence: `All sessions were ended. API tokens are those of ${at}: revoke again those that have been revoked since.`,
    },
  ];
}

const TOPIC_WIDTH = 12;
const formatNote = ({ topic, sentence }: Note) => `${topic.padEnd(TOPIC_WIDTH)}${oneLine(sentence)}\n`;
