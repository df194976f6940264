import { Module } from '@nestjs/common';
import { PayloadSchemasService } from './payload-schemas.service';
import { SchemaVersions } from './schema-versions.store';

@Module({
  providers: [PayloadSchemasService, SchemaVersions],
  exports: [PayloadSchemasService, SchemaVersions],
})
export class PayloadSchemasModule {}
