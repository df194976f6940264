import { Module } from '@nestjs/common';
import { EventsModule } from '../events/events.module';
import { ConsumerReads } from './consumer-reads.service';
import { ConsumerStatesQuery } from './consumer-states.query';
import { ConsumersService } from './consumers.service';

@Module({
  imports: [EventsModule],
  providers: [ConsumerReads, ConsumerStatesQuery, ConsumersService],
  exports: [ConsumerReads, ConsumerStatesQuery, ConsumersService],
})
export class ConsumersModule {}
