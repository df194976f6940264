import { Body, Controller, Get, Post } from '@nestjs/common';
import * as contract from '../../../contract/backup';
import { Access } from '../../access/access.decorator';
import type { Operator } from '../../access/operator';
import { BackupsService } from '../../backups/backups.service';
import { ScheduledBackupsWorker } from '../../backups/scheduled-backups.worker';
import { Fails, Returns } from '../../http/responses';
import { Caller } from '../route-decorators';

@Controller('api/v1/backups')
export class BackupsController {
  constructor(
    private readonly service: BackupsService,
    private readonly scheduled: ScheduledBackupsWorker,
  ) {}

  @Get()
  @Access('backup')
  @Returns(200, contract.backups, 'The backup in progress, the latest one, and when the next one is made')
  async getBackups(): Promise<contract.Backups> {
    const { latestBackup: latest } = this.service;
    return { run: await this.service.lastRun(), latest, schedule: this.scheduled.schedule };
  }

  @Post()
  @Access('backup', 'backup.create')
  @Returns(202, contract.backupRun, 'The backup that was started; GET shows its progress and outcome')
  @Fails(
    'backup_running',
    'backup_unsupported',
    'file_exists',
    'folder_denied',
    'folder_unusable',
    'path_relative',
    'disk_space_low',
  )
  async createBackup(
    @Body({ schema: contract.backupCreate }) { file }: contract.BackupCreate,
    @Caller() { scopes }: Operator,
  ): Promise<contract.BackupRun> {
    return (await this.service.start(file, scopes.includes('admin') ? null : this.service.folder)).run;
  }
}
