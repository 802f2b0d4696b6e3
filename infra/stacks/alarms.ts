import { Annotations, Duration, NestedStack, Stack } from 'aws-cdk-lib';
import {
  type Alarm,
  ComparisonOperator,
  type MathExpression,
  type Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';

export interface AlarmSettings {
  metric: Metric | MathExpression;
  /** 1 unless given. */
  periodMinutes?: number;
  /** The alarm rings above it. */
  threshold: number;
  description: string;
  /**
   * It is quiet without a value, unless what is measured every minute is missing in the worst outage (`rings`: after three minutes
   * without it, as after three above the threshold), or what is measured now and then has no new value (`stays` as it was).
   */
  whenMissing?: 'rings' | 'stays';
}

const missing = { rings: TreatMissingData.BREACHING, stays: TreatMissingData.IGNORE };

const notHeard =
  'nobody hears of an alarm: give an address (-c alarmEmail=…), or subscribe to the topic Alarms yourself';

/** Where every alarm of the system rings. */
export class Alarms {
  /** Nested stack of alarms and dashboard, which hold no data. In the main stack they would take a fifth of its resources. */
  readonly monitoring: NestedStack;
  readonly #topic: Topic;
  readonly #all: Alarm[] = [];

  constructor(scope: Construct, email: string | undefined) {
    this.monitoring = new NestedStack(scope, 'Monitoring', { description: 'CRM API: alarms and the dashboard' });
    this.#topic = new Topic(scope, 'Alarms', { enforceSSL: true });
    this.topicFor('cloudwatch.amazonaws.com');
    if (email) this.#topic.addSubscription(new EmailSubscription(email));
    else Annotations.of(scope).addWarningV2('crm-api:alarms-not-heard', notHeard);
  }

  add(
    scope: Construct,
    id: string,
    { metric, periodMinutes = 1, threshold, description, whenMissing }: AlarmSettings,
  ): Alarm {
    const name = scope instanceof Stack ? id : `${scope.node.id}${id}`;
    const alarm = metric.with({ period: Duration.minutes(periodMinutes) }).createAlarm(this.monitoring, name, {
      threshold,
      alarmDescription: `${description}. Runbook: docs/alarms.md`,
      evaluationPeriods: whenMissing === 'rings' ? 3 : 1,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      treatMissingData: whenMissing ? missing[whenMissing] : TreatMissingData.NOT_BREACHING,
    });
    alarm.addAlarmAction(new SnsAction(this.#topic));
    this.#all.push(alarm);
    return alarm;
  }

  /**
   * The topic, with the leave for a service of this account to ring there: a topic with a policy of its own, as the refusal of
   * unencrypted connections is, has lost the default that gave it.
   */
  topicFor(service: string): Topic {
    this.#topic.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal(service)],
        actions: ['sns:Publish'],
        resources: [this.#topic.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this.#topic).account } },
      }),
    );
    return this.#topic;
  }

  get all(): readonly Alarm[] {
    return this.#all;
  }
}
