import { StartupError } from '../../ground/relay-error';
import { VERSION } from '../../ground/version';
import { FirstTables0000000000001 } from './0001-tables';
import { Restores0000000000002 } from './0002-restores';
import { TargetPauses0000000000003 } from './0003-target-pauses';
import { Snoozes0000000000004 } from './0004-snoozes';
import { TargetFormats0000000000005 } from './0005-target-formats';
import { RecentIdentities0000000000006 } from './0006-recent-identities';
import { ClockCorrections0000000000007 } from './0007-clock-corrections';
import { ReleasedLanes0000000000010 } from './0010-released-lanes';
import { ConfiguredTargets0000000000012 } from './0012-configured-targets';
import { Consumers0000000000013 } from './0013-consumers';
import { Listeners0000000000014 } from './0014-listeners';
import { Acknowledgements0000000000015 } from './0015-acknowledgements';
import { Manifests0000000000016 } from './0016-manifests';
import { SavedViews0000000000017 } from './0017-saved-views';
import { Signatures0000000000018 } from './0018-signatures';
import { Versions0000000000019 } from './0019-versions';
import { PayloadSchemas0000000000020 } from './0020-payload-schemas';
import { RecordVersions0000000000021 } from './0021-record-versions';
import { PayloadSchemaVersions0000000000022 } from './0022-payload-schema-versions';
import { GapEvents0000000000023 } from './0023-gap-events';
import { Transforms0000000000024 } from './0024-transforms';
import { TargetTransforms0000000000025 } from './0025-target-transforms';
import { Erasures0000000000026 } from './0026-erasures';
import { EntityFloor0000000000027 } from './0027-entity-floor';
import { Repairs0000000000028 } from './0028-repairs';
import { Router0000000000029 } from './0029-router';
import { PreviousOfAttempts0000000000030 } from './0030-previous-of-attempts';
import { Coverage0000000000031 } from './0031-coverage';
import { IndexOfPrevious0000000000032 } from './0032-index-of-previous';

/** Every migration, in the order in which they are applied; the numbers left out were never released. */
export const MIGRATIONS = [
  FirstTables0000000000001,
  Restores0000000000002,
  TargetPauses0000000000003,
  Snoozes0000000000004,
  TargetFormats0000000000005,
  RecentIdentities0000000000006,
  ClockCorrections0000000000007,
  ReleasedLanes0000000000010,
  ConfiguredTargets0000000000012,
  Consumers0000000000013,
  Listeners0000000000014,
  Acknowledgements0000000000015,
  Manifests0000000000016,
  SavedViews0000000000017,
  Signatures0000000000018,
  Versions0000000000019,
  PayloadSchemas0000000000020,
  RecordVersions0000000000021,
  PayloadSchemaVersions0000000000022,
  GapEvents0000000000023,
  Transforms0000000000024,
  TargetTransforms0000000000025,
  Erasures0000000000026,
  EntityFloor0000000000027,
  Repairs0000000000028,
  Router0000000000029,
  PreviousOfAttempts0000000000030,
  Coverage0000000000031,
  IndexOfPrevious0000000000032,
];

/** What a database says about those who have used it. */
export interface Applied {
  /** The names of its migrations, in order; empty if it has no tables yet. */
  names: readonly string[];
  /** The newest version that has used it; null if that is not known. */
  version: string | null;
}

/** Whether there is a table `instance`, in which the version is. */
export const hasInstance = (names: readonly string[]): boolean => names.includes(MIGRATIONS[0]!.name);

/** Whether this version is newer than all that have used the database. */
export const isNewest = (version: string | null): boolean => version === null || isNewer(VERSION, version);

/** By major, minor and patch. */
function isNewer(one: string, other: string): boolean {
  const [parts, others] = [one, other].map((text) => text.split(/[.+-]/).slice(0, 3).map(Number));
  const index = parts!.findIndex((part, i) => part !== others![i]);
  return index !== -1 && parts![index]! > others![index]!;
}

/** @param name of the database @throws StartupError if there are any */
export function assertNoneMissing(missing: readonly string[], name: string): void {
  if (missing.length === 0) return;
  throw startupError(
    `${name} was written by an earlier Switchboard (${missing.join(', ')} missing).`,
    'Start the daemon once: it upgrades the database.',
  );
}

/**
 * @returns the names of the migrations that have not been applied yet
 * @throws StartupError if the tables are those of a newer version, or of one from before the first release
 */
export function missingMigrations({ names: applied, version }: Applied, file: string): string[] {
  const known = MIGRATIONS.map(({ name }) => name);
  const unknown = applied.filter((name) => !known.includes(name));
  if (applied.length > 0 && !hasInstance(applied)) {
    throw startupError(
      `${file} was written by a Switchboard from before the first release, whose tables cannot be upgraded.`,
      'Nothing was changed. Start the version that wrote it, let it deliver what is queued (until deliveries.open is 0 in GET /api/v1/stats) and export the events to keep (GET /api/v1/events/export). Then start this version with an empty DATA_DIR (or another DATABASE_URL), connect to Co-Pilot and create the targets again.',
    );
  }
  if (unknown.length > 0 && version !== null && isNewer(version, VERSION)) {
    throw startupError(
      `${file} was written by Switchboard ${version}, which is newer than this one (${VERSION}).`,
      `Start version ${version}, or restore a backup made by this one.`,
    );
  }
  if (unknown.length > 0) {
    throw startupError(
      `${file} was written by a newer Switchboard (${unknown.join(', ')}).`,
      'Start the newer version, or restore a backup made by this one.',
    );
  }
  return known.filter((name) => !applied.includes(name));
}

export const startupError = (what: string, remedy: string) =>
  new StartupError({ where: 'DATABASE_URL', what, remedy });
