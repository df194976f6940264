import { Module } from '@nestjs/common';
import { TargetsModule } from '../targets/targets.module';
import { Backlog } from './queue/backlog';
import { BreakerStore } from './sending/breaker.store';
import { DeadLetterCausesQuery } from './dead-letters/dead-letter-causes.query';
import { DeadLettersService } from './dead-letters/dead-letters.service';
import { DeliveriesService } from './deliveries.service';
import { DeliveryIndexes } from './delivery-indexes';
import { DeliveryJobsWorker } from './dead-letters/delivery-jobs.worker';
import { DispatchWorker } from './queue/dispatch.worker';
import { DeliveryExpiryWorker } from './delivery-expiry.worker';
import { FailingTargetQuery } from './failing-target.query';
import { InFlightOfOthers } from './queue/in-flight-of-others';
import { QueueDelaysQuery } from './queue/queue-delays.query';
import { QueuePositionQuery } from './queue/queue-position.query';
import { LatestAttemptsStore } from './latest-attempts.store';
import { RecentAttemptsStore } from './recent-attempts.store';
import { ListenerLinks } from './listeners/listener-links';
import { ListenerStatesStore } from './listeners/listener-states.store';
import { ReceiverExam } from './sending/receiver-exam';
import { SendingThread } from './sending/sending-thread';
import { TargetTester } from './sending/target-tester';
import { TransformsModule } from '../transforms/transforms.module';
import { SentBodyQuery } from './sent-body.query';
import { TargetStates } from './target-states';

const PROVIDERS = [
  Backlog,
  BreakerStore,
  DeadLetterCausesQuery,
  DeadLettersService,
  DeliveriesService,
  DeliveryIndexes,
  DeliveryJobsWorker,
  DispatchWorker,
  DeliveryExpiryWorker,
  FailingTargetQuery,
  InFlightOfOthers,
  LatestAttemptsStore,
  ListenerLinks,
  ListenerStatesStore,
  QueueDelaysQuery,
  QueuePositionQuery,
  ReceiverExam,
  RecentAttemptsStore,
  SendingThread,
  SentBodyQuery,
  TargetTester,
  TargetStates,
];

@Module({ imports: [TargetsModule, TransformsModule], providers: PROVIDERS, exports: PROVIDERS })
export class DeliveriesModule {}
