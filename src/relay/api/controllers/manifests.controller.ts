import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import * as contract from '../../../contract/manifest';
import { Access, Open } from '../../access/access.decorator';
import { Fails, Returns, Sends } from '../../http/responses';
import { ManifestsService } from '../../manifests/manifests.service';
import { manifestSchema } from '../openapi/manifest-schema';
import type { Operator } from '../../access/operator';
import { BodyLimit, Caller, TARGET_BYTES } from '../route-decorators';

@Controller('api/v1')
export class ManifestsController {
  constructor(private readonly manifests: ManifestsService) {}

  @Post('manifests/:name/apply')
  @Access('operate', 'manifest.apply')
  @BodyLimit(TARGET_BYTES)
  @Returns(200, contract.manifestResult, 'What was changed so that the targets are those of the manifest')
  @Fails(
    'target_invalid',
    'filter_invalid',
    'address_denied',
    'own_intake',
    'target_name_taken',
    'too_many_targets',
    'target_not_managed',
    'target_kind_mismatch',
    'transform_tests_failed',
    'transform_unavailable',
  )
  applyManifest(
    @Param('name', { schema: contract.manifestName }) name: string,
    @Body({ schema: contract.manifestApply }) wanted: contract.ManifestApply,
  ): Promise<contract.ManifestResult> {
    return this.manifests.apply(name, wanted);
  }

  @Get('manifests/export')
  @Access('operate')
  @Returns(200, contract.manifestExport, 'Targets as a manifest has them, without secrets')
  exportManifest(
    @Query({ schema: contract.manifestExportQuery }) { manifest }: contract.ManifestExportQuery,
    @Caller() { mask }: Operator,
  ): contract.ManifestExport {
    return this.manifests.export(manifest, mask !== null);
  }

  @Get('schemas/switchboard.json')
  @Open()
  @Sends(200, 'The JSON Schema of switchboard.yaml', 'application/json')
  getManifestSchema(): object {
    return manifestSchema();
  }
}
