import { Module } from '@nestjs/common';
import { PayloadSchemasService } from './payload-schemas.service';

@Module({ providers: [PayloadSchemasService], exports: [PayloadSchemasService] })
export class PayloadSchemasModule {}
