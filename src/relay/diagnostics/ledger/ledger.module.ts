import { Module } from '@nestjs/common';
import { DeliveriesModule } from '../../deliveries/deliveries.module';
import { TargetsModule } from '../../targets/targets.module';
import { LedgerService } from './ledger.service';

@Module({ imports: [DeliveriesModule, TargetsModule], providers: [LedgerService], exports: [LedgerService] })
export class LedgerModule {}
