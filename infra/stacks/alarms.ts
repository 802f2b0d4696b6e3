import { Duration } from 'aws-cdk-lib';
import {
  type Alarm,
  ComparisonOperator,
  type MathExpression,
  type Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';

export interface AlarmSettings {
  metric: Metric | MathExpression;
  /** The alarm rings above it. */
  threshold: number;
  description: string;
}

/** Where every alarm of the system rings. */
export class Alarms {
  readonly #topic: Topic;
  readonly #all: Alarm[] = [];

  constructor(scope: Construct, email: string | undefined) {
    this.#topic = new Topic(scope, 'Alarms', { enforceSSL: true });
    if (email) this.#topic.addSubscription(new EmailSubscription(email));
  }

  add(scope: Construct, id: string, { metric, threshold, description }: AlarmSettings) {
    const alarm = metric.with({ period: Duration.minutes(1) }).createAlarm(scope, id, {
      threshold,
      alarmDescription: description,
      evaluationPeriods: 1,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
    alarm.addAlarmAction(new SnsAction(this.#topic));
    this.#all.push(alarm);
  }

  get all(): readonly Alarm[] {
    return this.#all;
  }
}
