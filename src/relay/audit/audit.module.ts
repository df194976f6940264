import { Module } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { AuditLog } from './audit-log';
import { FindAuditEntries } from './find-audit-entries';
import { AuditInterceptor } from './audit.interceptor';

/** Importing this records the acts of every route of the application that is behind the guard. */
@Module({
  providers: [AuditLog, FindAuditEntries, { provide: APP_INTERCEPTOR, useClass: AuditInterceptor }],
  exports: [AuditLog, FindAuditEntries],
})
export class AuditModule {}
