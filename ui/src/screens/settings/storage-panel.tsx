import type { SettingsView } from '@contract/settings';
import { Fact, Facts } from '../../components/facts';
import { Mono } from '../../components/mono';
import { formatBytes, formatNoun } from '../../format/number';
import stack from '../../components/stack.module.css';
import { SettingsPart } from './settings-part';
import classes from './storage-panel.module.css';
import { Variables } from './variables';

/** Retention and disk usage. */
export function StoragePanel() {
  return (
    <SettingsPart title="Retention and disk" rows={6}>
      {({ retention, disk, data_dir: directory, ...settings }) => (
        <div className={stack.medium}>
          <DiskUse disk={disk} limit={retention.bytes} />
          <Facts>
            <Fact name="Events">
              {retention.days === 0 ? 'kept forever' : `kept for ${formatNoun(retention.days, 'day')}`}
              {retention.bytes > 0 && ', or less if space runs out'}
              <Variables of="SWITCHBOARD_RETENTION_DAYS SWITCHBOARD_RETENTION_BYTES" settings={settings} />
            </Fact>
            <Fact name="Unfinished events">
              {retention.bytes > 0
                ? 'kept longer, and removed last if space runs out'
                : 'kept until their deliveries have finished'}
            </Fact>
            <Fact name="Dead letters">
              {retention.dead_letter_days === 0
                ? 'kept forever'
                : `kept for ${formatNoun(Math.max(retention.dead_letter_days, retention.days), 'day')}`}
              {retention.bytes > 0 && ', or less if space runs out'}
              <Variables of="SWITCHBOARD_DEAD_LETTER_DAYS" settings={settings} />
            </Fact>
            <Fact name="Last states of entities">
              {describeStates(retention)}
              {retention.entity_days !== null && retention.bytes > 0 && ', or less if space runs out'}
              <Variables of="SWITCHBOARD_ENTITY_DAYS" settings={settings} />
            </Fact>
            <Fact name="Removed">
              {formatNoun(retention.removed, 'event')} since startup
              {retention.dead_letters > 0 && `, ${formatNoun(retention.dead_letters, 'dead letter')}`}
              {retention.cancelled > 0 &&
                `, ${formatNoun(retention.cancelled, 'queued delivery', 'queued deliveries')}`}
              {retention.running && '; cleanup running now'}
            </Fact>
            <Fact name="Data directory">
              <Mono>{directory}</Mono>
              <Variables of="DATA_DIR DATABASE_URL" settings={settings} />
            </Fact>
          </Facts>
        </div>
      )}
    </SettingsPart>
  );
}

/** How long an entity stays known after its events were removed. */
function describeStates({ days, entity_days: entityDays }: SettingsView['retention']): string {
  if (entityDays === null) return 'removed with their last event';
  if (entityDays === 0 || days === 0) return 'kept forever';
  return `kept for ${formatNoun(Math.max(entityDays, days), 'day')} after the last change, also without its event`;
}

interface DiskUseProps {
  disk: SettingsView['disk'];
  /** 0 if there is none. */
  limit: number;
}

/** The size of the database, relative to its limit or else to the disk. */
function DiskUse({ disk, limit }: DiskUseProps) {
  const { database_bytes: database, free_bytes: free, total_bytes: total } = disk;
  const used = free === null || total === null ? null : total - free;
  const isOfDisk = limit === 0 && used !== null;
  const share = limit > 0 ? database / limit : used === null ? null : used / Math.max(1, total ?? 1);
  return (
    <div>
      <div className={classes.text}>
        <h3>{isOfDisk ? 'Disk' : 'Database'}</h3>
        <span>
          {isOfDisk ? `${formatBytes(used)} of ${formatBytes(total ?? 0)} used` : formatBytes(database)}
        </span>
      </div>
      {share !== null && (
        <div className={classes.bar} aria-hidden>
          <div
            className={classes.used}
            data-full={share > 0.9 || undefined}
            style={{ width: `${Math.min(100, share * 100)}%` }}
          />
        </div>
      )}
      <p className={classes.note}>{describeSpace(disk, limit)}</p>
    </div>
  );
}

function describeSpace(
  { database_bytes: database, free_bytes: free, total_bytes: total }: SettingsView['disk'],
  limit: number,
): string {
  const ofLimit = limit > 0 ? `Limit ${formatBytes(limit)}; ` : '';
  if (free === null || total === null) return `${ofLimit || 'It is '}on the disk of the database server.`;
  return limit > 0
    ? `${ofLimit}${formatBytes(free)} free on disk.`
    : `${formatBytes(free)} free. Database: ${formatBytes(database)}.`;
}
