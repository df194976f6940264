import { Module } from '@nestjs/common';
import { AddressGuard } from './address-guard';
import { TargetsService } from './targets.service';

@Module({ providers: [AddressGuard, TargetsService], exports: [AddressGuard, TargetsService] })
export class TargetsModule {}
