import { Controller, Get, Query } from '@nestjs/common';
import { auditEntry, auditQuery, type AuditEntry, type AuditQuery } from '../../contract/audit';
import { pageOf, type Page } from '../../contract/page';
import { Access } from '../access/access.decorator';
import { Answers } from '../http/responses';
import { FindAuditEntries } from '../audit/find-audit-entries';

@Controller('api/v1/audit')
export class AuditController {
  constructor(private readonly entries: FindAuditEntries) {}

  @Get()
  @Access('admin')
  @Answers(200, pageOf(auditEntry), 'Every change and every secret shown, newest first')
  listAuditEntries(@Query({ schema: auditQuery }) query: AuditQuery): Promise<Page<AuditEntry>> {
    return this.entries.list(query);
  }
}
