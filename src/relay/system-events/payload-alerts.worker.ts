import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import type { PayloadChange } from '../../contract/payload-type';
import type { Alert } from '../events/alert';
import { AlertsService } from '../events/alerts.service';
import { maskChanges } from '../payload-schemas/mask-schema';
import { SchemaVersions, type SchemaVersion } from '../payload-schemas/schema-versions.store';
import { Settings } from '../settings/settings';

const CHECK_INTERVAL_MS = 5_000;
const CHANGED = 'relay.payload.changed';

/** Further changes are only counted. */
const MAX_LISTED = 50;
const MAX_DESCRIBED = 3;

/** Raises an alert about each type whose payloads have changed, until the new version is accepted, or is a week old. */
@Injectable()
export class PayloadAlertsWorker {
  constructor(
    private readonly versions: SchemaVersions,
    private readonly alerts: AlertsService,
    private readonly settings: Settings,
  ) {}

  @Interval(CHECK_INTERVAL_MS)
  tick(): void {
    const active = this.alerts.active().filter(({ type }) => type === CHANGED);
    const changed = this.versions.changed();
    for (const version of changed) {
      const isRaised = ({ subject, data }: (typeof active)[number]) =>
        subject === version.type && data['version'] === version.version;
      if (!active.some(isRaised)) this.alerts.raise(alertAbout(this.masked(version)));
    }
    for (const { subject } of active)
      if (!changed.some(({ type }) => type === subject))
        this.alerts.resolve(CHANGED, subject, 'The new version was accepted, or is a week old.');
  }

  /** Alerts are for everyone. */
  private masked(version: SchemaVersion): SchemaVersion {
    return { ...version, changes: maskChanges(version.type, version.changes, this.settings.mask) };
  }
}

function alertAbout({ type, version, changes }: SchemaVersion): Alert {
  const described = changes
    .slice(0, MAX_DESCRIBED)
    .map((one) => DESCRIPTIONS[one.change](one))
    .join(', ');
  const others = changes.length > MAX_DESCRIBED ? `, and ${changes.length - MAX_DESCRIBED} more` : '';
  return {
    type: CHANGED,
    subject: type,
    severity: changes.every(({ change }) => change === 'added') ? 'info' : 'warning',
    sentence: `The payloads of ${type} have changed: ${described}${others}.`,
    remedy: `Check what reads these payloads, then accept version ${version}: switchboard types accept ${type}`,
    data: {
      type,
      version,
      previous_version: version - 1,
      changes: changes.slice(0, MAX_LISTED),
      changes_total: changes.length,
    },
  };
}

const DESCRIPTIONS: Record<PayloadChange['change'], (change: PayloadChange) => string> = {
  added: ({ path }) => `${path} is new`,
  type_added: ({ path, after }) => `${path} is ${after}`,
  missing: ({ path }) => `${path} may be missing`,
  gone: ({ path }) => `${path} no longer occurs`,
  map: ({ path }) => `the keys of ${path} are data`,
};
