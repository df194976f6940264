import { Module } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { AuditLog } from './audit-log';
import { FindAuditEntries } from './find-audit-entries';
import { RecordActsInterceptor } from './record-acts.interceptor';

/** Importing this records the acts of every route of the application that is behind the guard. */
@Module({
  providers: [AuditLog, FindAuditEntries, { provide: APP_INTERCEPTOR, useClass: RecordActsInterceptor }],
  exports: [AuditLog, FindAuditEntries],
})
export class AuditModule {}
