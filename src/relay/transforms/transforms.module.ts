import { Module } from '@nestjs/common';
import { Transformer } from './transformer';

@Module({ providers: [Transformer], exports: [Transformer] })
export class TransformsModule {}
