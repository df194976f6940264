import { Module } from '@nestjs/common';
import { SnoozesService } from './snoozes.service';

@Module({ providers: [SnoozesService], exports: [SnoozesService] })
export class SnoozesModule {}
