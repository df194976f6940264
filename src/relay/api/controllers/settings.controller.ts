import { Controller, Get } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { settings as settingsSchema, type SettingsView } from '../../../contract/settings';
import { Access } from '../../access/access.decorator';
import { DiskSpace, readDatabaseUse } from '../../database/disk-space';
import { RetentionWorker } from '../../events/retention/retention.worker';
import { PublicAddress } from '../../settings/public-address';
import { Settings } from '../../settings/settings';
import { VERSION } from '../../ground/version';
import { Returns } from '../../http/responses';

/** The active settings; of secrets only whether they were set. */
@Controller('api/v1/settings')
export class SettingsController {
  constructor(
    private readonly settings: Settings,
    private readonly address: PublicAddress,
    private readonly retention: RetentionWorker,
    private readonly source: DataSource,
    private readonly disk: DiskSpace,
  ) {}

  @Get()
  @Access('admin')
  @Returns(200, settingsSchema, 'The active settings and the disk usage')
  async getSettings(): Promise<SettingsView> {
    const { settings } = this;
    const { running, removed, deadLetters, cancelled } = this.retention.record;
    const { baseUrl, clientId, scopes, events, signatureHeader } = settings.copilot;
    return {
      version: VERSION,
      node: process.versions.node,
      name: this.address.hubName,
      public_url: this.address.url,
      host: settings.host,
      port: this.address.listeningPort,
      log_level: settings.logLevel,
      data_dir: settings.dataDir,
      changed: [...settings.changed],
      secrets: {
        secret_key: originOf(settings.secretKey),
        admin_token: originOf(settings.adminToken),
        copilot_client_secret: 'set',
        metrics_token: settings.metricsToken === null ? 'none' : 'set',
        heartbeat_url: settings.heartbeatUrl === null ? 'none' : 'set',
        auth_secret_header: settings.userSecret === null ? 'none' : 'set',
      },
      copilot: {
        base_url: baseUrl,
        client_id: clientId,
        scopes: [...scopes],
        events: [...events],
        signature_header: signatureHeader,
      },
      contract_watch: settings.watchesContract,
      mask: settings.mask?.pathTexts ?? [],
      body_limit_bytes: settings.bodyLimitBytes,
      backup: { dir: settings.backupDir, keep: settings.backupKeep },
      targets: settings.targets.map(({ name }) => name),
      keep_alive_s: settings.keepAliveS,
      trusted_proxies: [...settings.trustedProxies],
      user_headers: settings.userHeaders,
      user_roles: Object.fromEntries(settings.userRoles),
      outgoing_proxy: {
        https: withoutCredentials(settings.outgoingProxy.https),
        http: withoutCredentials(settings.outgoingProxy.http),
        except: [...settings.outgoingProxy.except],
      },
      target_allow: [...settings.targetAllow],
      target_deny: [...settings.targetDeny],
      retention: {
        days: settings.retentionDays,
        dead_letter_days: settings.deadLetterDays,
        entity_days: settings.entityDays,
        bytes: settings.retentionBytes,
        running,
        removed,
        dead_letters: deadLetters,
        cancelled,
      },
      disk: await this.readDisk(),
    };
  }

  private async readDisk(): Promise<SettingsView['disk']> {
    const [{ bytes, logBytes }, capacity] = await Promise.all([
      readDatabaseUse(this.settings, this.source),
      this.disk.read(),
    ]);
    return {
      database_bytes: bytes,
      log_bytes: logBytes,
      free_bytes: capacity?.freeBytes ?? null,
      total_bytes: capacity?.totalBytes ?? null,
    };
  }
}

const withoutCredentials = (url: string | null) => (url === null ? null : new URL(url).origin);

const originOf = (secret: unknown) => (secret === null ? 'generated' : 'set');
