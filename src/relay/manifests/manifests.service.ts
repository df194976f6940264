import { Injectable } from '@nestjs/common';
import type { ManifestApply, ManifestExport, ManifestResult } from '../../contract/manifest';
import { Backlog } from '../deliveries/queue/backlog';
import { setAuditParts } from '../ground/audit-context';
import { Clock } from '../ground/clock';
import { RelayError, type FieldError } from '../ground/relay-error';
import { Sealer } from '../secrets/sealer';
import { Transformer } from '../transforms/transformer';
import { assertNone, failedTests, faultsOf } from '../targets/check-transform';
import { AddressGuard } from '../targets/address-guard';
import type { TargetRecord } from '../targets/target-record';
import { TargetsService } from '../targets/targets.service';
import { entryOf } from './manifest-entry';
import { entriesOf, planManifest, targetOf, type PlannedChange } from './plan-manifest';

/** Makes the targets those of a manifest, all at once; the targets themselves say which manifest manages them. */
@Injectable()
export class ManifestsService {
  constructor(
    private readonly targets: TargetsService,
    private readonly backlog: Backlog,
    private readonly guard: AddressGuard,
    private readonly sealer: Sealer,
    private readonly clock: Clock,
    private readonly transformer: Transformer,
  ) {}

  /**
   * In one transaction, with an audit entry for each target that changes.
   * @throws RelayError see `planManifest`; `conflict`, 409, for an outdated revision
   */
  async apply(manifest: string, wanted: ManifestApply): Promise<ManifestResult> {
    const { result, removed } = await this.targets.exclusively(() => this.applyNow(manifest, wanted));
    for (const target of removed) await this.targets.cancelQueued(target);
    return result;
  }

  /**
   * @param manifest undefined: all targets but listeners
   * @param isMasked whether payloads are masked for the caller
   */
  export(manifest: string | undefined, isMasked: boolean): ManifestExport {
    const entries = this.targets
      .all()
      .flatMap((target) => (target.url === null ? [] : [{ ...target, url: target.url }]))
      .filter(({ managedBy }) => manifest === undefined || managedBy === manifest)
      .map((target) => entryOf(target, isMasked));
    return {
      targets: entries.filter(({ format }) => format === undefined),
      alerts: entries.filter(({ format }) => format !== undefined) as ManifestExport['alerts'],
    };
  }

  private async applyNow(manifest: string, wanted: ManifestApply) {
    const denials = await this.denialsOf(wanted);
    const faults = await this.faultsOf(wanted);
    const targets = this.targets.all();
    const { drafts } = this.targets;
    const now = this.clock.now();
    const planned = planManifest(wanted, { manifest, targets, drafts, now, denials, faults });
    const revision = this.revisionOf(manifest, wanted);
    if (![undefined, revision].includes(wanted.revision)) throw outdated();
    if (wanted.force !== true) await this.assertTestsPass(wanted, planned);
    const changes = planned.flatMap((change) =>
      change.draft === null ? [] : [{ ...change, draft: change.draft }],
    );
    const parts = changes.map(({ name, draft, fields }) => ({
      subject: { name, id: 'created' in draft ? draft.created.id : draft.id },
      fields: [
        ...new Set(fields.map(({ path }) => path.split('.')[0]!)),
        ...(wanted.force === true ? ['force'] : []),
      ],
    }));
    const result = planned.map(({ action, name, before, fields }) => ({
      action,
      name,
      id: before?.id ?? null,
      fields,
      cancels: action === 'remove' ? this.backlog.queued(before!.number) : 0,
    }));
    setAuditParts(wanted.dry_run === true ? [] : parts);
    if (wanted.dry_run === true || changes.length === 0)
      return { result: { revision, changes: result }, removed: [] };
    const saved = await this.targets.save(changes.map(({ draft }) => draft));
    const ids = new Map(saved.map(({ name, id }) => [name, id]));
    return {
      result: {
        revision: this.revisionOf(manifest, wanted),
        changes: result.map((change) => ({ ...change, id: change.id ?? ids.get(change.name)! })),
      },
      removed: saved.filter((_, i) => changes[i]!.action === 'remove'),
    };
  }

  /** Why URLs that no target has cannot be used. */
  private async denialsOf(wanted: ManifestApply): Promise<Map<string, string>> {
    const known = new Set(this.targets.all().map(({ url }) => url));
    const denials = new Map<string, string>();
    for (const [, { url }] of entriesOf(wanted)) {
      if (known.has(url)) continue;
      await this.guard.assertAllowed(url).catch((error: unknown) => {
        if (!(error instanceof RelayError)) throw error;
        denials.set(url, error.message);
      });
    }
    return denials;
  }

  /** Why expressions that no target has cannot be used. */
  private faultsOf(wanted: ManifestApply): Promise<Map<string, string>> {
    const known = new Set(this.targets.all().map(({ transform }) => transform?.expression));
    const expressions = (wanted.targets ?? []).flatMap(({ transform }) =>
      !transform || known.has(transform.expression) ? [] : [transform.expression],
    );
    return faultsOf(expressions, this.transformer);
  }

  /** @throws RelayError `transform_tests_failed`, 422, with every test that fails of an expression that changes */
  private async assertTestsPass(wanted: ManifestApply, planned: readonly PlannedChange[]): Promise<void> {
    const errors: FieldError[] = [];
    for (const [path, { name, transform }] of entriesOf(wanted)) {
      const change = planned.find((one) => one.name === name && one.action !== 'remove');
      if (!transform || !change?.fields.some((field) => field.path.startsWith('transform'))) continue;
      for (const failed of await failedTests(transform, name, this.transformer))
        errors.push({ ...failed, path: `${path}.${failed.path}` });
    }
    assertNone(errors);
  }

  /** A keyed hash, so that secrets cannot be guessed by it. */
  private revisionOf(manifest: string, wanted: ManifestApply): string {
    const named = new Set(entriesOf(wanted).map(([, entry]) => targetOf(entry, this.targets.all())));
    const concerned = this.targets.all().filter((one) => one.managedBy === manifest || named.has(one));
    return this.sealer.fingerprint(JSON.stringify(concerned.map(contentOf)), 'manifests.revision');
  }
}

function contentOf(target: TargetRecord) {
  const { paused: _, updatedAt: __, previousSigningKey: ___, signingKey, ...content } = target;
  return { ...content, signingKey: signingKey.toString('base64') };
}

const outdated = () =>
  new RelayError('conflict', 409, 'The targets have changed since this revision.', {
    remedy: 'Look at the differences again.',
  });
