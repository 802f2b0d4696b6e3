import { CfnOutput, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { EventBus, Rule } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { Effect, PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { BlockPublicAccess, Bucket, BucketEncryption } from 'aws-cdk-lib/aws-s3';
import {
  CfnReceiptRule,
  ConfigurationSet,
  EmailSendingEvent,
  EventDestination,
  ReceiptRuleSet,
} from 'aws-cdk-lib/aws-ses';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { Alarms } from './alarms.ts';
import { acknowledge } from './role.ts';

/**
 * Where incoming mail lands; with a domain, the SES rules that put it there and notify the queue (the operator activates the rule
 * set). The notification holds the envelope and what SES thinks of the mail, which the stored object does not.
 */
export function createMailBucket(scope: Construct, domain: string | undefined, arrivals: Queue): Bucket {
  const bucket = new Bucket(scope, 'Mail', {
    encryption: BucketEncryption.S3_MANAGED,
    enforceSSL: true,
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    removalPolicy: RemovalPolicy.RETAIN,
    lifecycleRules: [{ expiration: Duration.days(90) }],
  });
  acknowledge(bucket, 'S1', 'One function reads it and SES writes it; each mail leaves a log line of that function');
  // `npm run admin -- email reread --stack` needs this output.
  new CfnOutput(scope, 'MailBucket', { value: bucket.bucketName });
  if (domain) {
    new CfnOutput(scope, 'MailDomain', { value: domain });
    receive(scope, bucket, domain, arrivals);
  }
  return bucket;
}

function receive(scope: Construct, bucket: Bucket, domain: string, arrivals: Queue) {
  const { account } = Stack.of(scope);
  const ses = new ServicePrincipal('ses.amazonaws.com');
  const conditions = { StringEquals: { 'aws:SourceAccount': account } };
  bucket.addToResourcePolicy(
    new PolicyStatement({
      effect: Effect.ALLOW,
      principals: [ses],
      actions: ['s3:PutObject'],
      resources: [bucket.arnForObjects('*')],
      conditions,
    }),
  );
  const topic = new Topic(scope, 'MailArrived', { enforceSSL: true });
  // A policy replaces the default, by which the owner's services might publish.
  const publish = new PolicyStatement({
    effect: Effect.ALLOW,
    principals: [ses],
    actions: ['sns:Publish'],
    resources: [topic.topicArn],
    conditions,
  });
  const policy = topic.addToResourcePolicy(publish).policyDependable;
  const { queue: deadLetterQueue } = arrivals.deadLetterQueue ?? {};
  const subscription = topic.addSubscription(
    new SqsSubscription(arrivals, { rawMessageDelivery: true, ...(deadLetterQueue && { deadLetterQueue }) }),
  );
  const rules = new ReceiptRuleSet(scope, 'MailRules');
  // SES deletes no active rule set, and the stack that could not be destroyed for it would be left half gone.
  rules.applyRemovalPolicy(RemovalPolicy.RETAIN);
  const rule = new CfnReceiptRule(rules, 'Store', {
    ruleSetName: rules.receiptRuleSetName,
    rule: {
      enabled: true,
      recipients: [domain],
      scanEnabled: true,
      tlsPolicy: 'Require',
      actions: [{ s3Action: { bucketName: bucket.bucketName, topicArn: topic.topicArn } }],
    },
  });
  // Notifications of SES before the queue is subscribed are lost. The subscription already waits for the queue's policy.
  for (const dependency of [bucket.policy, policy, subscription]) if (dependency) rule.node.addDependency(dependency);
}

/** The configuration set that mail is sent with: its bounces and complaints reach the queue by EventBridge. Returns its name. */
export function createMailEvents(scope: Construct, notices: Queue): string {
  const set = new ConfigurationSet(scope, 'SentMail');
  const { queue: deadLetterQueue } = notices.deadLetterQueue ?? {};
  const rule = new Rule(scope, 'MailNotices', {
    description: 'Bounces and complaints of sent mail wait to be stored',
    eventPattern: {
      source: ['aws.ses'],
      detail: {
        eventType: ['Bounce', 'Complaint', 'Reject'],
        mail: { tags: { 'ses:configuration-set': [set.configurationSetName] } },
      },
    },
    targets: [new SqsQueue(notices, deadLetterQueue ? { deadLetterQueue } : {})],
  });
  const destination = set.addEventDestination('Notices', {
    // SES knows no other bus.
    destination: EventDestination.eventBus(EventBus.fromEventBusName(scope, 'DefaultBus', 'default')),
    events: [EmailSendingEvent.BOUNCE, EmailSendingEvent.COMPLAINT, EmailSendingEvent.REJECT],
  });
  // An event before the rule is there would be lost.
  destination.node.addDependency(rule, notices);
  return set.configurationSetName;
}

/**
 * Rings before SES pauses all sending of the account (at a tenth of mails that bounce, or one complaint of two hundred): where it puts
 * the account under review.
 */
export function watchReputation(stack: Stack, alarms: Alarms): void {
  const add = (id: string, metricName: string, threshold: number, what: string) =>
    alarms.add(stack, id, {
      metric: new Metric({ namespace: 'AWS/SES', metricName, statistic: Stats.AVERAGE }),
      periodMinutes: 60,
      threshold,
      description: `More than ${threshold * 100} % of the account's mails ${what}: SES reviews it, and pauses it soon`,
      whenMissing: 'stays',
    });
  add('MailBounces', 'Reputation.BounceRate', 0.05, 'bounced');
  add('MailComplaints', 'Reputation.ComplaintRate', 0.001, 'were complained of');
}
