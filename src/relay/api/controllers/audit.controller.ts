import { Controller, Get, Query } from '@nestjs/common';
import { auditEntry, auditQuery, type AuditEntry, type AuditQuery } from '../../../contract/audit';
import { pageOf, type Page } from '../../../contract/page';
import { Access } from '../../access/access.decorator';
import { Returns } from '../../http/responses';
import { FindAuditEntriesQuery } from '../../audit/find-audit-entries.query';

@Controller('api/v1/audit')
export class AuditController {
  constructor(private readonly entries: FindAuditEntriesQuery) {}

  @Get()
  @Access('admin')
  @Returns(200, pageOf(auditEntry), 'Every change and every disclosure of a secret, newest first')
  listAuditEntries(@Query({ schema: auditQuery }) query: AuditQuery): Promise<Page<AuditEntry>> {
    return this.entries.list(query);
  }
}
