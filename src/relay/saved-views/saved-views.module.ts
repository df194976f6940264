import { Module } from '@nestjs/common';
import { SavedViewsService } from './saved-views.service';

@Module({ providers: [SavedViewsService], exports: [SavedViewsService] })
export class SavedViewsModule {}
