import { Module } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { AuditStore } from './audit.store';
import { FindAuditEntriesQuery } from './find-audit-entries.query';
import { AuditInterceptor } from './audit.interceptor';

/** Importing this records the actions of every route that requires authentication. */
@Module({
  providers: [AuditStore, FindAuditEntriesQuery, { provide: APP_INTERCEPTOR, useClass: AuditInterceptor }],
  exports: [AuditStore, FindAuditEntriesQuery],
})
export class AuditModule {}
