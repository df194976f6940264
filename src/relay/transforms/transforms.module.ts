import { Module } from '@nestjs/common';
import { EventTransformer } from './event-transformer';
import { Transformer } from './transformer';

@Module({ providers: [Transformer, EventTransformer], exports: [Transformer, EventTransformer] })
export class TransformsModule {}
