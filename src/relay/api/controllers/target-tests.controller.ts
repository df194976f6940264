import { Body, Controller, Param, Post } from '@nestjs/common';
import * as filtering from '../../../contract/filter';
import { targetExam, type TargetExam } from '../../../contract/target-exam';
import * as testing from '../../../contract/target-test';
import * as transforming from '../../../contract/transform';
import { Access } from '../../access/access.decorator';
import type { Operator } from '../../access/operator';
import type { RequestSignal } from '../../database/reading/reader';
import { ReceiverExam } from '../../deliveries/sending/receiver-exam';
import { TargetTester } from '../../deliveries/sending/target-tester';
import { EventsService } from '../../events/events.service';
import { ExplainEventQuery } from '../../events/explain/explain-event.query';
import { PreviewFilterQuery } from '../../events/search/preview-filter.query';
import { PreviewTransformQuery } from '../../events/search/preview-transform.query';
import { assertNotMasked, payloadMasked } from '../../filters/masked-filter';
import { RelayError } from '../../ground/relay-error';
import { Fails, Returns } from '../../http/responses';
import { TargetsService } from '../../targets/targets.service';
import { runTests } from '../../transforms/run-tests';
import { Transformer } from '../../transforms/transformer';
import {
  BodyLimit,
  Caller,
  DisconnectSignal,
  Expensive,
  FILTER_BYTES,
  LARGE_BYTES,
  TARGET_BYTES,
} from '../route-decorators';
import { UNFIT_TARGET } from './targets.controller';

const transformMissing = (name: string) =>
  new RelayError('transform_missing', 409, `The target "${name}" has no expression.`, {
    remedy: 'Send the expression to test.',
  });

/** What a target would receive, and what its receiver makes of it; nothing is stored. */
@Controller('api/v1/targets')
export class TargetTestsController {
  constructor(
    private readonly tester: TargetTester,
    private readonly exam: ReceiverExam,
    private readonly preview: PreviewFilterQuery,
    private readonly transforms: PreviewTransformQuery,
    private readonly explanation: ExplainEventQuery,
    private readonly events: EventsService,
    private readonly targets: TargetsService,
    private readonly transformer: Transformer,
  ) {}

  @Post('preview')
  @Access('read')
  @Expensive()
  @BodyLimit(FILTER_BYTES)
  @Returns(200, filtering.filterPreview, 'Which of the newest stored events this target would have received')
  @Fails('filter_invalid', 'payload_masked')
  previewFilter(
    @Body({ schema: filtering.filterPreviewQuery }) query: filtering.FilterPreviewQuery,
    @DisconnectSignal() signal: RequestSignal,
    @Caller() { mask }: Operator,
  ): Promise<filtering.FilterPreview> {
    assertNotMasked({ payload: query.filter }, mask);
    return this.preview.preview(query, mask, signal);
  }

  @Post('match')
  @Access('read')
  @BodyLimit(LARGE_BYTES)
  @Returns(
    200,
    testing.targetMatches,
    'Which targets would receive a notification, and why the others would not',
  )
  matchNotification(
    @Body({ schema: testing.matchRequest }) query: testing.MatchRequest,
    @Caller() { mask }: Operator,
  ): testing.TargetMatches {
    return this.explanation.match(query, mask);
  }

  @Post('preview/message')
  @Access('read')
  @Returns(200, testing.messagePreview, 'The message about an alert that targets with this format receive')
  previewMessage(
    @Body({ schema: testing.messagePreviewQuery }) query: testing.MessagePreviewQuery,
  ): testing.MessagePreview {
    return this.tester.previewMessage(query);
  }

  @Post('preview/transform')
  @Access('read')
  @Expensive()
  @BodyLimit(LARGE_BYTES)
  @Returns(200, transforming.transformPreview, 'What an expression makes of stored events; nothing is sent')
  @Fails('filter_invalid', 'event_unknown', 'event_erased', 'payload_masked', 'transform_unavailable')
  previewTransform(
    @Body({ schema: transforming.transformPreviewQuery }) query: transforming.TransformPreviewQuery,
    @DisconnectSignal() signal: RequestSignal,
    @Caller() { mask }: Operator,
  ): Promise<transforming.TransformPreview> {
    if (mask !== null) throw payloadMasked('An expression could show values that are masked.');
    return this.transforms.preview(query, signal);
  }

  @Post(':id/transform/test')
  @Access('read')
  @Expensive()
  @BodyLimit(TARGET_BYTES)
  @Returns(200, transforming.transformTestResults, 'What the tests of an expression find; nothing is sent')
  @Fails('payload_masked', 'transform_missing', 'transform_unavailable')
  testTransform(
    @Param('id') id: string,
    @Body({ schema: transforming.transformTestRun }) run: transforming.TransformTestRun,
    @Caller() { mask }: Operator,
  ): Promise<transforming.TransformTestResults> {
    if (mask !== null) throw payloadMasked('An expression could show values that are masked.');
    const { name, transform } = this.targets.byId(id);
    const { expression = transform?.expression, content_type: type, tests = transform?.tests } = run;
    if (expression === undefined) throw transformMissing(name);
    const contentType = type ?? transform?.content_type ?? 'application/json';
    return runTests({ expression, content_type: contentType, tests }, name, this.transformer);
  }

  @Post('test')
  @Access('operate', 'target.test_settings')
  @Expensive()
  @BodyLimit(LARGE_BYTES)
  @Returns(
    200,
    testing.testOutcome,
    'The result of sending one signed sample with settings that are not saved',
  )
  @Fails(...UNFIT_TARGET, 'target_unknown', 'event_unknown', 'transform_unavailable')
  async testSettings(
    @Body({ schema: testing.targetTest }) { event_id: id, ...settings }: testing.TargetTest,
  ): Promise<testing.TestOutcome> {
    const event = id === undefined ? undefined : await this.events.find(id);
    return this.tester.testSettings(settings, event);
  }

  @Post(':id/test')
  @Access('operate', 'target.test')
  @Expensive()
  @BodyLimit(LARGE_BYTES)
  @Returns(200, testing.testOutcome, 'The result of sending one signed sample')
  @Fails('event_unknown', 'listener_offline', 'transform_unavailable')
  async testTarget(
    @Param('id') id: string,
    @Body({ schema: testing.targetSample }) { event_id: event, ...sample }: testing.TargetSample,
  ): Promise<testing.TestOutcome> {
    return this.tester.test(
      id,
      event === undefined ? this.tester.sampleOf(sample) : await this.events.find(event),
    );
  }

  @Post(':id/exam')
  @Access('operate', 'target.exam')
  @Expensive()
  @Returns(200, targetExam, 'Whether the receiver accepts two valid requests, and rejects four invalid ones')
  @Fails('listener_offline', 'target_not_json', 'transform_failed', 'transform_unavailable')
  examineReceiver(@Param('id') id: string): Promise<TargetExam> {
    return this.exam.examine(id);
  }
}
