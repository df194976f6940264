import { Controller, Get, Query } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';
import { auditEntry, auditQuery, type AuditEntry, type AuditQuery } from '../../contract/audit';
import { pageOf, type Page } from '../../contract/page';
import { FindAuditEntries } from './find-audit-entries';

@Controller('api/v1/audit')
export class AuditController {
  constructor(private readonly entries: FindAuditEntries) {}

  @Get()
  @ApiResponse({
    status: 200,
    description: 'Every change and every secret shown, newest first',
    standardSchema: pageOf(auditEntry),
  })
  list(@Query({ schema: auditQuery }) query: AuditQuery): Promise<Page<AuditEntry>> {
    return this.entries.list(query);
  }
}
